// @ts-check
/** Starts every module of the page. Each owns one element, and does nothing where that is missing. */

import * as actions from "./actions.js";
import * as announce from "./announce.js";
import * as composer from "./composer.js";
import * as conversation from "./conversation.js";
import * as dialogs from "./dialogs.js";
import * as drawer from "./drawer.js";
import * as editor from "./editor.js";
import * as follow from "./follow.js";
import * as keyboard from "./keyboard.js";
import * as menu from "./menu.js";
import * as navigation from "./navigation.js";
import * as queue from "./queue.js";
import * as sidebar from "./sidebar.js";
import * as stream from "./stream.js";
import * as theme from "./theme.js";
import * as threadMenu from "./thread_menu.js";
import * as title from "./title.js";
import * as toast from "./toast.js";
import * as turns from "./turns.js";

const modules = [
  // Those that listen come before stream, which speaks.
  announce,
  title,
  composer,
  queue,
  menu,
  threadMenu,
  dialogs,
  drawer,
  sidebar,
  theme,
  toast,
  keyboard,
  navigation,
  conversation,
  turns,
  follow,
  editor,
  actions,
  stream,
];

for (const module of modules) module.start();
