import { rowListSchema } from '../../../src/admin/ledger/ledger-contract.ts'
import { createAskAdmin } from '../ask-admin.ts'
import { startGateway } from '../start-gateway.ts'
import { awkwardPrice } from './awkward-price.ts'

export const sessionKey = 'sk-session-0123456789abcdef'

interface SessionGatewayOptions {
  readonly provider: 'openai' | 'gemini'
  readonly baseUrl: string
  /** Further terms of the key. */
  readonly keyMore?: string
}

/** A gateway whose one model, `voice`, is spoken to in sessions, at the awkward price. */
export async function openSessionGateway({ provider, baseUrl, keyMore = '' }: SessionGatewayOptions) {
  const gateway = await startGateway(`keys:
  - { name: ci, secret: ${sessionKey}, ${keyMore} }
channels:
  - name: voices
    provider: ${provider}
    base_url: "${baseUrl}"
    api_key: sk-upstream-0123456789
    allow_private: true
    models: { voice: upstream-voice }
models: { voice: { max_output_tokens: 1000, context_window: 4000, price: ${awkwardPrice} } }
`)
  const askAdmin = createAskAdmin(gateway.url)
  return {
    url: gateway.url,
    /** The rows of responses, the oldest first; holds that were not used are left out. */
    async rows() {
      const { data } = rowListSchema.parse((await askAdmin('GET', '/ledger?limit=200')).body)
      return data.filter(({ state }) => state !== 'void').toReversed()
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}
