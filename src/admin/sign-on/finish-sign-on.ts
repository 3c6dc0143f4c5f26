import {
  type AuthorizationPurpose,
  codeVerifierOf,
  nonceOf,
  type SignOnRequest,
} from '../../access/people/authorization-request.ts'
import { principalOf } from '../../access/people/identify-operator.ts'
import { digestOpaqueSecret } from '../../access/people/opaque-secret.ts'
import { FRESH_MS, isLiveSession, makeSession, type SessionId } from '../../access/people/session.ts'
import { writeSessionCookie } from '../../access/people/session-cookie.ts'
import type { User } from '../../access/people/user.ts'
import type { FoundSession } from '../../access/people/user-store.ts'
import {
  clearAuthorizationCookie,
  readAuthorizationCookie,
} from '../../access/sign-on/authorization-cookie.ts'
import type { ProvenIdentity } from '../../access/sign-on/identity-provider.ts'
import { showsSecondFactor } from '../../access/sign-on/read-claims.ts'
import type { OidcPolicy } from '../../access/sign-on/sign-in-policy.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { succeedAttempt } from '../people/count-attempts.ts'
import { operatorOf, type PeopleContext, recordOf } from '../people/people-context.ts'
import type { Browser } from '../people/sign-in.ts'
import { acceptByIdentity, admitIdentity, identityOf } from './admit-identity.ts'
import { describeIdentity, SINGLE_SIGN_ON } from './arrival.ts'
import { refuseByProvider, requireOidc } from './begin-sign-on.ts'
import type { FinishedSignOn } from './sign-on-contract.ts'

/** The result for the browser that returns from the provider. */
export interface EndedSignOn {
  readonly finished: FinishedSignOn
  readonly cookies: readonly string[]
  /** The console page to open next, relative to the console's root. */
  readonly page: string
}

/**
 * Finishes a sign-in after the provider's redirect. It is valid once. A failure is returned as a result for the
 * console to show, since the browser is between pages.
 */
export async function finishSignOn(
  query: URLSearchParams,
  browser: Browser,
  context: PeopleContext,
): Promise<EndedSignOn> {
  const consumed = await consumeRequest(query, browser, context)
  if (consumed === undefined) return refused(new GatewayError('authorization_not_found'), [])
  const cleared = clearAuthorizationCookie({ state: consumed.state, isSecure: browser.isSecure })
  let proven: ProvenIdentity | undefined
  try {
    const policy = requireOidc(context)
    proven = await proveIdentity({ ...consumed, query }, policy, context)
    const done = await endRequest(consumed.request, { proven, policy }, { browser, context })
    return { ...done, cookies: [...done.cookies, cleared] }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    await recordRefusal(error, proven, { browser, context })
    return refused(error, [cleared])
  }
}

interface ConsumedRequest {
  readonly request: SignOnRequest
  readonly state: string
  readonly browserSecret: string
}

/** Undefined if the request does not exist, belongs to another browser, or has expired. */
async function consumeRequest(
  query: URLSearchParams,
  { cookie, isSecure }: Browser,
  { stores, clock }: PeopleContext,
): Promise<ConsumedRequest | undefined> {
  const state = query.get('state')
  if (state === null) return undefined
  const browserSecret = readAuthorizationCookie(cookie, { state, isSecure })
  if (browserSecret === undefined) return undefined
  const [stateDigest, browserDigest] = [digestOpaqueSecret(state), digestOpaqueSecret(browserSecret)]
  const request = await stores.authorizations.consume(stateDigest, browserDigest)
  const isLive = request !== undefined && clock.nowMs() < request.expiresAtMs
  return isLive ? { request, state, browserSecret } : undefined
}

interface AnsweredRequest extends ConsumedRequest {
  readonly query: URLSearchParams
}

interface Surroundings {
  readonly browser: Browser
  readonly context: PeopleContext
}

async function endRequest(
  { purpose, returnTo }: SignOnRequest,
  { proven, policy }: { readonly proven: ProvenIdentity; readonly policy: OidcPolicy },
  { browser, context }: Surroundings,
): Promise<EndedSignOn> {
  const { address } = browser
  await succeedAttempt({ name: undefined, address }, context)
  const arrival = { proven, policy, address }
  switch (purpose.type) {
    case 'sign-in': {
      const user = await admitIdentity(arrival, context)
      return startSession({ user, proven, policy, returnTo }, browser, context)
    }
    case 'accept': {
      const user = await acceptByIdentity(purpose.linkId, arrival, context)
      return startSession({ user, proven, policy, returnTo }, browser, context)
    }
    case 'join':
      await joinIdentity(purpose, proven, { browser, context })
      return ended('linked', returnTo)
    case 'reauthenticate':
      await refreshSession(purpose, proven, { browser, context })
      return ended('reauthenticated', 'single-sign-on?outcome=reauthenticated')
  }
}

async function proveIdentity(
  { request, state, browserSecret, query }: AnsweredRequest,
  policy: OidcPolicy,
  { provider }: PeopleContext,
): Promise<ProvenIdentity> {
  try {
    return await provider.readAnswer(policy, {
      query: query.toString(),
      state,
      nonce: nonceOf(browserSecret),
      codeVerifier: codeVerifierOf(browserSecret),
      redirectUri: request.redirectUri,
      signedInAfterMs: request.purpose.type === 'reauthenticate' ? request.createdAtMs : undefined,
    })
  } catch (error) {
    throw refuseByProvider(error)
  }
}

interface StartingSession {
  readonly user: User
  readonly proven: ProvenIdentity
  readonly policy: OidcPolicy
  readonly returnTo: string
}

async function startSession(
  { user, proven, policy, returnTo }: StartingSession,
  { address, userAgent, isSecure }: Browser,
  context: PeopleContext,
): Promise<EndedSignOn> {
  const hasSecondFactor = policy.trustsSecondFactor || showsSecondFactor(proven.claims)
  const order = { userId: user.id, address, userAgent, hasSecondFactor, lifeMs: policy.sessionMs }
  const { session, secret } = makeSession(order, context)
  const actor = { author: user.name, credential: SINGLE_SIGN_ON, address }
  const details = [`name: ${user.name}`, `identity: ${describeIdentity(proven)}`]
  const what = { action: 'user.sign_in', subject: user.id, details } as const
  const start = { password: undefined, record: recordOf(actor, context, what) }
  if (!(await context.stores.sessions.start(session, start))) throw new GatewayError('sign_in_failed')
  return ended('signed-in', returnTo, [writeSessionCookie(secret, isSecure)])
}

type SessionPurpose = Extract<AuthorizationPurpose, { readonly sessionId: SessionId }>

async function joinIdentity(
  purpose: SessionPurpose,
  proven: ProvenIdentity,
  { browser, context }: Surroundings,
): Promise<void> {
  const { user, actor } = await requireLive(purpose, { browser, context })
  const details = [`name: ${user.name}`, `identity: ${describeIdentity(proven)}`]
  const record = recordOf(actor, context, { action: 'user.identity_link', subject: user.id, details })
  const isDone = await context.stores.users.linkIdentity(user.id, identityOf(proven, context), record)
  if (!isDone) throw new GatewayError('user_not_found')
}

async function refreshSession(
  purpose: SessionPurpose,
  proven: ProvenIdentity,
  { browser, context }: Surroundings,
): Promise<void> {
  const { user, actor, session } = await requireLive(purpose, { browser, context })
  const { identity } = user
  if (identity?.issuer !== proven.issuer || identity.subject !== proven.subject)
    throw new GatewayError('other_identity')
  const details = [`name: ${user.name}`]
  const what = { action: 'user.reauthenticate', subject: user.id, details } as const
  const record = recordOf({ ...actor, credential: SINGLE_SIGN_ON }, context, what)
  await context.stores.sessions.refresh(session.id, context.clock.nowMs() + FRESH_MS, record)
}

/**
 * The session that started the request, if it is still valid. The browser does not send its session cookie with a
 * redirect from another site.
 */
async function requireLive(
  { sessionId, userId }: SessionPurpose,
  { browser, context }: Surroundings,
): Promise<FoundSession & { readonly actor: ReturnType<typeof operatorOf>['actor'] }> {
  const found = await context.stores.sessions.findById(sessionId)
  const isLive = found !== undefined && isLiveSession(found.session, context.clock.nowMs())
  if (!isLive || found.user.disabled || found.user.id !== userId) throw new GatewayError('session_not_found')
  const principal = principalOf(found.user, found.session, context.signIn().secondFactorRoles)
  return { ...found, actor: operatorOf(principal, browser.address).actor }
}

function ended(
  outcome: Exclude<FinishedSignOn['outcome'], 'refused'>,
  page: string,
  cookies: readonly string[] = [],
): EndedSignOn {
  return { finished: { outcome, error: null }, cookies, page }
}

function refused({ failure }: GatewayError, cookies: readonly string[]): EndedSignOn {
  const { code, message } = failure
  return {
    finished: { outcome: 'refused', error: { code, message } },
    cookies,
    page: `single-sign-on?outcome=${code}`,
  }
}

/** Records a refusal after the provider answered, with the name of the user if the identity is known here. */
async function recordRefusal(
  { failure: { code, logCause } }: GatewayError,
  proven: ProvenIdentity | undefined,
  { browser: { address }, context }: Surroundings,
): Promise<void> {
  const user = proven === undefined ? undefined : await context.stores.users.findByIdentity(proven)
  const details = [
    `refused: ${code}`,
    ...(logCause === undefined ? [] : [logCause]),
    ...(proven === undefined ? [] : [`identity: ${describeIdentity(proven)}`]),
  ]
  const actor = { author: user?.name ?? 'identity provider', credential: SINGLE_SIGN_ON, address }
  const what = { action: 'user.sign_in_refused', subject: user?.id ?? SINGLE_SIGN_ON, details } as const
  await context.audit.append(recordOf(actor, context, what))
}
