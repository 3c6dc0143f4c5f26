/** Every library, by the name of its file, with the heading of its section in docs/clients.md. */
export const frameworkHeadings = {
  openai: 'OpenAI SDK, TypeScript',
  anthropic: 'Anthropic SDK, TypeScript',
  'google-genai': 'Google Gen AI SDK, TypeScript',
  ollama: 'Ollama',
  'ai-sdk-openai': 'Vercel AI SDK with @ai-sdk/openai',
  'ai-sdk-openai-compatible': 'Vercel AI SDK with @ai-sdk/openai-compatible',
  'ai-sdk-anthropic': 'Vercel AI SDK with @ai-sdk/anthropic',
  'ai-sdk-google': 'Vercel AI SDK with @ai-sdk/google',
  'langchain-openai': 'LangChain with @langchain/openai',
  'langchain-anthropic': 'LangChain with @langchain/anthropic',
  'llamaindex-openai': 'LlamaIndex with @llamaindex/openai',
  'llamaindex-anthropic': 'LlamaIndex with @llamaindex/anthropic',
} as const

export type FrameworkName = keyof typeof frameworkHeadings

export const frameworkNames = Object.keys(frameworkHeadings).filter(isFrameworkName)

export function isFrameworkName(name: string): name is FrameworkName {
  return Object.hasOwn(frameworkHeadings, name)
}
