import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { type Configuration, Provider } from 'oidc-provider'
import { createMemoryAdapter } from './memory-adapter.ts'

export const clientId = 'headgate'
export const clientSecret = 'a secret of the client, of some length'

/** A person whom the provider knows, and what it says of them. */
export interface Account {
  readonly claims: Readonly<Record<string, unknown>>
  /** The facts that the provider saw at sign-in. */
  readonly amr?: readonly string[]
}

/** The faults of the provider. */
export interface Misbehaviour {
  /** Changes the claims of ID tokens, which are then signed again with the provider's own key. */
  claims?: (claims: JWTPayload) => JWTPayload
  /** Signs ID tokens by a key that it does not publish. */
  signsWithOtherKey?: boolean
  /** Ends interactions with this error instead of a sign-in. */
  refusal?: string
}

export interface StartedProvider extends AsyncDisposable {
  readonly issuer: string
  /** Registers the client with the redirect address of a gateway, and answers from then on. */
  register(gateway: { readonly url: string }, client?: { readonly secret: string }): void
  /** Goes away. */
  stop(): Promise<void>
  readonly accounts: Map<string, Account>
  /** The account that signs in at the next interaction. */
  signInAs: string
  readonly misbehaviour: Misbehaviour
  /** The number of requests for each path. */
  readonly asked: Map<string, number>
}

const keyPair = generateKeyPair('RS256', { extractable: true })
const otherKeyPair = generateKeyPair('RS256')

/**
 * Starts a real OpenID Connect provider on a free port of this machine: the package `oidc-provider`, with PKCE
 * required. A browser that is sent there is signed in at once as `signInAs`.
 */
export async function startProvider(): Promise<StartedProvider> {
  const { privateKey } = await keyPair
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const jwk = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: 'first' }
  let serve: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => {
    response.writeHead(503).end()
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const started: StartedProvider = {
    issuer,
    register({ url }, { secret } = { secret: clientSecret }) {
      const redirectUris = [`${url}/admin/v1/sign-in/oidc/callback`]
      const parts = { redirectUris, secret, jwk }
      serve = createHandler(started, new Provider(issuer, configure(started, parts)))
    },
    accounts: new Map<string, Account>(),
    signInAs: '',
    misbehaviour: {},
    asked: new Map<string, number>(),
    stop,
    [Symbol.asyncDispose]: stop,
  }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', issuer).pathname
    started.asked.set(path, (started.asked.get(path) ?? 0) + 1)
    serve(request, response)
  })
  return started
}

function createHandler(started: StartedProvider, provider: Provider) {
  provider.use(async (ctx, next) => {
    await next()
    const { claims = (same: JWTPayload) => same, signsWithOtherKey = false } = started.misbehaviour
    const isChanged = started.misbehaviour.claims !== undefined || signsWithOtherKey
    const body = ctx.body as { id_token?: string } | undefined
    if (!isChanged || ctx.path !== '/token' || body?.id_token === undefined) return
    const { privateKey } = await (signsWithOtherKey ? otherKeyPair : keyPair)
    const changed = new SignJWT(claims(decodeJwt(body.id_token)))
    body.id_token = await changed.setProtectedHeader({ alg: 'RS256', kid: 'first' }).sign(privateKey)
  })
  const handle = provider.callback()
  return (request: IncomingMessage, response: ServerResponse) => {
    const isInteraction = request.url?.startsWith('/interaction/') === true
    if (isInteraction) void interact(provider, started, { request, response })
    else void handle(request, response)
  }
}

interface ClientParts {
  readonly redirectUris: string[]
  readonly secret: string
  readonly jwk: object
}

function configure(
  { accounts }: Pick<StartedProvider, 'accounts'>,
  { redirectUris, secret, jwk }: ClientParts,
): Configuration {
  return {
    clients: [{ client_id: clientId, client_secret: secret, redirect_uris: redirectUris }],
    adapter: createMemoryAdapter(),
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    claims: {
      openid: ['sub', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'name'],
      teams: ['roles', 'groups', 'resource_access'],
    },
    scopes: ['openid', 'email', 'profile', 'teams'],
    // Claims of the scopes come from UserInfo, as the specification has it (OpenID Connect Core 1.0 §5.4).
    conformIdTokenClaims: true,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 3_600, Interaction: 600, Grant: 3_600, AccessToken: 600, IdToken: 600 },
    async findAccount(_ctx, id) {
      const account = accounts.get(id)
      return account && { accountId: id, claims: async () => ({ ...account.claims, sub: id }) }
    },
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email profile teams')
      await grant.save()
      return grant
    },
  }
}

async function interact(
  provider: Provider,
  { accounts, signInAs, misbehaviour }: StartedProvider,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  const { refusal } = misbehaviour
  const amr = accounts.get(signInAs)?.amr
  const result =
    refusal === undefined
      ? { login: { accountId: signInAs, ...(amr !== undefined && { amr: [...amr] }) } }
      : { error: refusal, error_description: '<script>alert(1)</script>' }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}
