import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startGateway, testKey } from '../../support/start-gateway.ts'
import { installFrameworks } from '../framework-suite/load-framework.ts'
import type { MediaClient } from '../frameworks/media/media-client.ts'

export interface MediaResult {
  readonly row: string
  readonly channel: string
  readonly scenario: string
  readonly problems: readonly string[]
}

const libraries = {
  'ai-sdk': 'Vercel AI SDK, media and ranking',
  cohere: 'cohere-ai',
  '../ranking/voyage': 'voyageai',
  'langchain-cohere': 'LangChain, CohereRerank',
  '../ranking/llamaindex-cohere': 'LlamaIndex, CohereRerank',
} as const

/** Images, sound and ranking by libraries, onto the demo provider. */
export async function runMedia(report: (result: MediaResult) => void): Promise<readonly MediaResult[]> {
  await installFrameworks()
  const results: MediaResult[] = []
  await using gateway = await startGateway(
    'channels: [{ name: demo, provider: demo, models: [demo-chat, demo-embed] }]\n',
  )
  const connection = { gatewayUrl: gateway.url, key: testKey, model: 'demo-chat' }
  for (const [file, row] of Object.entries(libraries)) {
    const { tasks } = await loadClient(file)
    for (const [scenario, task] of Object.entries(tasks)) {
      const problems = await task(connection).then(() => [], describe)
      const result = { row, channel: 'demo', scenario, problems }
      results.push(result)
      report(result)
    }
  }
  return results
}

function describe(error: unknown): readonly string[] {
  return [error instanceof Error ? error.message : String(error)]
}

async function loadClient(name: string): Promise<MediaClient> {
  const path = resolve(join(import.meta.dirname, '../frameworks/media', `${name}.ts`))
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(path).href)
  if (!isClient(loaded.default)) throw new Error(`${name}.ts exports no client`)
  return loaded.default
}

function isClient(value: unknown): value is MediaClient {
  return typeof value === 'object' && value !== null && 'tasks' in value
}
