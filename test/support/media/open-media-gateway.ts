import { readdirSync, readlinkSync } from 'node:fs'
import OpenAI from 'openai'
import { type LedgerRowView, rowListSchema } from '../../../src/admin/ledger/ledger-contract.ts'
import { createAskAdmin } from '../ask-admin.ts'
import { openScriptedUpstream, type RecordedRequest, type ScriptedUpstream } from '../scripted-upstream.ts'
import { startGateway, testKey } from '../start-gateway.ts'

export interface MediaChannel {
  readonly provider: string
  readonly upstreamModel: string
  readonly script: Parameters<typeof openScriptedUpstream>[0]
  /** The path of the base address. */
  readonly path?: string
  readonly settings?: string
}

/** The gateway before scripted upstreams of images and sound, the first preferred; all serve the model `m`. */
export async function openMediaGateway(channels: readonly MediaChannel[], more = '', key = testKey) {
  await using cleanup = new AsyncDisposableStack()
  const upstreams: ScriptedUpstream[] = []
  for (const { script } of channels) upstreams.push(cleanup.use(await openScriptedUpstream(script)))
  const written = channels.map(
    ({ provider, upstreamModel, settings = 'api_key: sk-upstream-0123456789', path = '' }, index) =>
      `  - { name: c${index}, provider: ${provider}, base_url: "${upstreams[index]?.origin}${path}", allow_private: true, ${settings}, priority: ${10 - index}, models: { m: "${upstreamModel}" } }`,
  )
  const gateway = cleanup.use(
    await startGateway(`channels:\n${written.join('\n')}\nretry: { same_target: 0 }\n${more}`),
  )
  const askAdmin = createAskAdmin(gateway.url)
  const rows = async (): Promise<readonly LedgerRowView[]> =>
    rowListSchema.parse((await askAdmin('GET', '/ledger?limit=200')).body).data
  const open = cleanup.move()
  return {
    gateway,
    client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 }),
    post: (
      path: string,
      body: object | FormData,
      headers: Record<string, string> = {},
      signal: AbortSignal | null = null,
    ) =>
      fetch(`${gateway.url}${path}`, {
        signal,
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body instanceof FormData ? body : JSON.stringify(body),
      }),
    requests: (upstream = 0) => upstreams[upstream]?.requests ?? [],
    sent(upstream = 0, index = 0): RecordedRequest {
      const request = upstreams[upstream]?.requests[index]
      if (request === undefined) throw new Error('nothing was sent')
      return request
    },
    rows,
    lastRow: async () => (await rows())[0],
    /** The sum that the rows charge, in dollars, and the number of those that charge something. */
    async charged() {
      const amounts = (await rows())
        .map(({ charged_usd: charged }) => charged)
        .filter((charged) => charged > 0)
      return { dollars: amounts.reduce((sum, charged) => sum + charged, 0), count: amounts.length }
    },
    /** Files of uploads that this process has open, whose names are gone already. */
    openUploads: () => openFiles().filter((path) => path.startsWith(`${gateway.dataFolder}/uploads/`)),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function openFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      // The descriptor by which the folder itself was read.
      return []
    }
  })
}
