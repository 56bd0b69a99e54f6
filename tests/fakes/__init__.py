"""Stand-ins for what we do not own: a strict model server that speaks the OpenAI chat completions."""
