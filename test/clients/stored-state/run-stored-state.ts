import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { channelYaml } from '../../support/channel-yaml.ts'
import { openScriptedUpstream } from '../../support/scripted-upstream.ts'
import { startGateway, testKey } from '../../support/start-gateway.ts'
import { createToolRounds, finalWords, weatherOf } from '../../support/tool-rounds.ts'
import { installFrameworks } from '../framework-suite/load-framework.ts'
import type { StoredClient } from '../frameworks/stored/stored-client.ts'

export interface StoredResult {
  readonly row: string
  readonly channel: string
  readonly scenario: string
  readonly problems: readonly string[]
}

const libraries = {
  'ai-sdk': 'Vercel AI SDK, default model',
  'openai-sdk': 'OpenAI SDK, previous_response_id',
  'openai-agents': 'OpenAI Agents SDK',
} as const
const formats = ['chat', 'messages', 'gemini', 'responses'] as const

/**
 * Two parallel tools in two steps with each library, on a channel of each format, Headgate restarted after the first.
 */
export async function runStoredState(
  report: (result: StoredResult) => void,
): Promise<readonly StoredResult[]> {
  await installFrameworks()
  const results: StoredResult[] = []
  for (const [file, row] of Object.entries(libraries)) {
    const client = await loadClient(file)
    for (const channel of formats) {
      for (const isStream of [false, true]) {
        const problems = await problemsOf(runCase({ client, channel, isStream }))
        const result = { row, channel, scenario: isStream ? 'streamed' : 'whole', problems }
        results.push(result)
        report(result)
      }
    }
  }
  return results
}

async function loadClient(name: string): Promise<StoredClient> {
  const path = resolve(import.meta.dirname, '../frameworks/stored', `${name}.ts`)
  const loaded: { readonly default?: unknown } = await import(pathToFileURL(path).href)
  if (!isClient(loaded.default)) throw new Error(`${name}.ts exports no client`)
  return loaded.default
}

function isClient(value: unknown): value is StoredClient {
  return typeof value === 'object' && value !== null && 'ask' in value
}

interface StoredCase {
  readonly client: StoredClient
  readonly channel: (typeof formats)[number]
  readonly isStream: boolean
}

/** The address stays while the gateway behind it is another. */
const ADDRESS = 'http://headgate.test'

async function runCase({ client, channel, isStream }: StoredCase): Promise<void> {
  await using upstream = await openScriptedUpstream(createToolRounds(channel))
  const folder = mkdtempSync(join(tmpdir(), 'headgate-stored-'))
  const yaml = channelYaml({ format: channel, origin: upstream.origin, models: ['m'] })
  const start = () => startGateway(`${yaml}retry: { attempts: 1 }\n`, folder)
  let gateway = await start()
  let restarting: Promise<void> | undefined
  const restart = async () => {
    await gateway[Symbol.asyncDispose]()
    gateway = await start()
  }
  const words = await client.ask({
    baseUrl: `${ADDRESS}/v1`,
    key: testKey,
    isStream,
    fetch: (resource, options) => globalThis.fetch(String(resource).replace(ADDRESS, gateway.url), options),
    async lookUp(city) {
      restarting ??= restart()
      await restarting
      return weatherOf(city)
    },
  })
  await gateway[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
  if (words !== finalWords) throw new Error(`it answered ${JSON.stringify(words)}`)
}

async function problemsOf(run: Promise<void>): Promise<readonly string[]> {
  try {
    await run
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
