import type { AgentFormat } from '../../support/agent/speech.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { channelYaml } from '../../support/channel-yaml.ts'
import { startGateway, testKey } from '../../support/start-gateway.ts'

/** The limits of a key at which clients are tried. */
export const limitTerms = {
  'spent budget': 'budgets: [{ limit_usd: 0, window: day }]',
  // One request, and then one every three seconds.
  'rate limit': 'rate: { rpm: 20, burst: 1 }',
  'rate limit that waits': 'rate: { rpm: 20, burst: 1, wait: 60s }',
} as const
export type LimitName = keyof typeof limitTerms

export const limitedModel = 'limited-model'

export interface LimitedGateway extends AsyncDisposable {
  readonly url: string
  /** The status of each request that came, in the order in which they ended, and when it began. */
  readRequests(): Promise<readonly SeenRequest[]>
}

export interface SeenRequest {
  readonly status: number
  readonly startedAtMs: number
}

export interface LimitedGatewayOptions {
  readonly limit: LimitName
  readonly format: AgentFormat
  readonly origin: string
}

/** A gateway with one key, which is limited so. */
export async function openLimitedGateway(options: LimitedGatewayOptions): Promise<LimitedGateway> {
  const { limit, format, origin } = options
  const gateway = await startGateway(
    `keys: [{ name: test, secret: ${testKey}, ${limitTerms[limit]} }]\n` +
      channelYaml({ format, origin, models: [limitedModel] }) +
      `models: { ${limitedModel}: { price: { input: 1, output: 1 } } }\nretry: { attempts: 1 }\n`,
  )
  return {
    url: gateway.url,
    async readRequests() {
      const { body } = await createAskAdmin(gateway.url)('GET', '/requests?limit=500')
      const { data } = body as {
        data: readonly { status: number; started_at: string; format: string | null }[]
      }
      return data
        .filter((row) => row.format !== null)
        .map(({ status, started_at }) => ({ status, startedAtMs: Date.parse(started_at) }))
        .sort((one, other) => one.startedAtMs - other.startedAtMs)
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}
