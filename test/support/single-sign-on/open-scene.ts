import { auditListSchema } from '../../../src/admin/audit/audit-contract.ts'
import { Browser, makeOwner } from '../admin-browser.ts'
import { type StartedGateway, startGateway } from '../start-gateway.ts'
import { signInByProvider } from './sign-in-by-provider.ts'
import { clientId, clientSecret, type StartedProvider, startProvider } from './start-provider.ts'

export interface SignOnScene extends AsyncDisposable {
  readonly gateway: StartedGateway
  readonly provider: StartedProvider
  /** A browser in which an owner is signed in, by password. */
  readonly owner: Browser
  /** Signs a person of these claims in through the provider; gives the browser, and how it ended. */
  arrive(id: string, claims: object, amr?: readonly string[]): Promise<Arrived>
  /** The audit as sentences, the oldest first. */
  readAudit(): Promise<readonly string[]>
}

interface Arrived {
  readonly browser: Browser
  readonly outcome: unknown
  readonly code: string | undefined
  readonly message: string | undefined
}

export const verified = (email: string) => ({ email, email_verified: true })

/** A gateway with single sign-on, and a provider. `oidc` are further fields of its section, `rest` further sections. */
export async function openSignOnScene(
  oidc = '',
  {
    rest = '',
    signIn = '',
    ...more
  }: { rest?: string; signIn?: string } & Parameters<typeof startGateway>[2] = {},
): Promise<SignOnScene> {
  const provider = await startProvider()
  const gateway = await startGateway(
    `channels: [{ name: demo, provider: demo }]
groups:
  search: { models: ["*"] }
  writers: { models: ["*"] }
  local: { models: ["*"] }
${rest}
sign_in:
${signIn}
  oidc:
    issuer: "${provider.issuer}"
    client_id: ${clientId}
    client_secret: "${clientSecret}"
    allow_private: true
    scopes: [email, profile, teams]
    ${oidc.split('\n').join('\n    ')}
`,
    undefined,
    more,
  )
  provider.register(gateway)
  const owner = await makeOwner(gateway)
  return {
    gateway,
    provider,
    owner,
    async arrive(id, claims, amr) {
      provider.accounts.set(id, { claims: { ...claims }, ...(amr !== undefined && { amr }) })
      provider.signInAs = id
      const browser = new Browser(gateway)
      return { browser, ...readOutcome(await signInByProvider(browser)) }
    },
    async readAudit() {
      const { data } = auditListSchema.parse((await owner.ask('GET', '/audit')).body)
      return data
        .map(({ author, action, details }) => `${author}: ${action} (${details.join(', ')})`)
        .toReversed()
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await provider[Symbol.asyncDispose]()
    },
  }
}

export function readOutcome({ body }: { readonly body: unknown }) {
  const { outcome, error } = body as { outcome: unknown; error: { code: string; message: string } | null }
  return { outcome, code: error?.code, message: error?.message }
}
