// @ts-check
/** The admin's pages cannot render the theme cookie into `<html>`: this does it, before anything is drawn. */
{
  const theme = /(?:^|; )theme=(light|dark)/.exec(document.cookie)?.[1];
  if (theme) document.documentElement.dataset.theme = theme;
}
