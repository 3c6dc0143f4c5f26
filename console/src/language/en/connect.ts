export const connectMessages = {
  'connect.description':
    'Settings of each client for this gateway. The light turns green when a request comes.',
  'connect.no_keys': 'There is no key to connect with yet',
  'connect.no_keys.advice': 'Make one here: its secret goes in place of sk-hg-… in the lines below.',
  'connect.no_models': 'This key may use no model that is served. Choose another one, or give it models.',
  'connect.what': 'Key and model',
  'connect.key': 'Key',
  'connect.typed': 'There are more than the {count} that are suggested. Type any name.',
  'connect.model': 'Model',
  'connect.address': 'Address of the gateway',
  'connect.address.hint': 'Where your client reaches it; change it if that is another address than here.',
  'connect.clients': 'Clients',
  'connect.key_line': 'The key, in the shell',
  'connect.secret':
    'In place of sk-hg-… goes the secret that was shown when the key was made. It cannot be shown again; rotate the key to get another one.',
  'connect.about.openai-ts':
    'The base address ends in /v1. OPENAI_BASE_URL and OPENAI_API_KEY do the same without code.',
  'connect.about.openai-python':
    'The base address ends in /v1. OPENAI_BASE_URL and OPENAI_API_KEY do the same without code.',
  'connect.about.anthropic-ts': 'The base address has no /v1. Any model can be asked, of whichever provider.',
  'connect.about.anthropic-python':
    'The base address has no /v1. Any model can be asked, of whichever provider.',
  'connect.about.claude-code':
    'The Haiku setting names the model for side tasks. The last setting has Claude Code offer the models of the gateway whose names have claude or anthropic in them.',
  'connect.about.codex': 'It speaks the Responses API, which works on every channel.',
  'connect.about.ai-sdk':
    'includeUsage is needed for usage in streams, supportsStructuredOutputs for JSON schemas.',
  'connect.about.google-ts':
    'The address has no version. Files, caches, batches and live sessions are not served.',
  'connect.about.gemini-cli':
    'Choose the key as the way to sign in. Side tasks ask for models such as gemini-2.5-flash, which must be served too.',
  'connect.about.opencode': 'In the project, or in ~/.config/opencode. small_model writes the titles.',
  'connect.about.curl': 'The quickest way to see an answer.',
  'connect.light': 'First request',
  'connect.light.waiting': 'Waiting for a request of {key}',
  'connect.light.waiting.advice': 'Run the lines above. This turns green by itself.',
  'connect.light.good': 'It works: a request came and was answered',
  'connect.light.bad': 'A request came and failed: {status} {error}',
  'connect.light.bad.advice': 'See why',
} as const
