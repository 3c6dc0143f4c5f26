/** Providers' names for the calls that their answers count, where a price list has another one. */
const tools: Readonly<Record<string, string>> = {
  // Anthropic, and what speaks its format.
  web_search_requests: 'web_search',
  // Perplexity.
  num_search_queries: 'web_search',
  // xAI.
  web_search_calls: 'web_search',
  x_search_calls: 'x_search',
  code_interpreter_calls: 'code_interpreter',
  // Google, by the names of its tools in a request.
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
  enterpriseWebSearch: 'web_search',
  googleMaps: 'google_maps',
}

/** The name that a price has for a tool of the provider, such as `web_search`. */
export function billedTool(name: string): string {
  return Object.hasOwn(tools, name) ? (tools[name] ?? name) : name
}
