import {
  type AuthorizationPurpose,
  codeVerifierOf,
  makeAuthorization,
  nonceOf,
} from '../../access/people/authorization-request.ts'
import { digestOpaqueSecret } from '../../access/people/opaque-secret.ts'
import { writeAuthorizationCookie } from '../../access/sign-on/authorization-cookie.ts'
import { IdentityProviderError } from '../../access/sign-on/identity-provider.ts'
import type { OidcPolicy } from '../../access/sign-on/sign-in-policy.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { beginAttempt, succeedAttempt } from '../people/count-attempts.ts'
import { isUsableLink } from '../people/manage-links.ts'
import type { PeopleContext } from '../people/people-context.ts'
import type { Browser } from '../people/sign-in.ts'
import type { BeginSignOn } from './sign-on-contract.ts'

/** The path of the provider's redirect, below the address of the gateway. */
const CALLBACK_PATH = '/admin/v1/sign-in/oidc/callback'

export interface BegunSignOn {
  readonly url: string
  /** The cookie that binds the provider's response to this browser. */
  readonly cookie: string
}

export interface SignOnOrder {
  readonly purpose: AuthorizationPurpose
  readonly returnTo: string
}

/** Stores an authorization request and makes the address to send the browser to. */
export async function beginSignOn(
  { purpose, returnTo }: SignOnOrder,
  browser: Browser,
  context: PeopleContext,
): Promise<BegunSignOn> {
  const { stores, provider } = context
  const policy = requireOidc(context)
  // A sign-in that is started counts as a failure until it is finished. This limits the sign-ins that one address can
  // start.
  await beginAttempt({ name: undefined, address: browser.address }, context)
  const redirectUri = browser.baseUrl + CALLBACK_PATH
  const { request, state, browserSecret } = makeAuthorization({ purpose, redirectUri, returnTo }, context)
  const url = await provider
    .authorizationUrl(policy, {
      state,
      nonce: nonceOf(browserSecret),
      codeVerifier: codeVerifierOf(browserSecret),
      redirectUri,
      mustSignInAgain: purpose.type === 'reauthenticate',
    })
    .catch((error: unknown) => {
      throw refuseByProvider(error)
    })
  await stores.authorizations.insert(request)
  return {
    url: url.href,
    cookie: writeAuthorizationCookie(browserSecret, { state, isSecure: browser.isSecure }),
  }
}

/** Reads the purpose of a person who is not signed in: to sign in, or to accept a link. */
export async function readSignOnOrder(
  { link: secret, return_to = '' }: BeginSignOn,
  address: string,
  context: PeopleContext,
): Promise<SignOnOrder> {
  const returnTo = readReturn(return_to)
  if (secret === undefined) return { purpose: { type: 'sign-in' }, returnTo }
  const attempt = { name: undefined, address }
  await beginAttempt(attempt, context)
  const link = await context.stores.links.find(digestOpaqueSecret(secret))
  const isUsable = link !== undefined && (await isUsableLink(link, context))
  if (!isUsable || link.purpose.type === 'reset') throw new GatewayError('link_not_found')
  await succeedAttempt(attempt, context)
  return { purpose: { type: 'accept', linkId: link.id }, returnTo }
}

/** Accepts only a page below the console's root, so that nobody is redirected elsewhere after signing in. */
function readReturn(text: string): string {
  const root = new URL('https://console.invalid/console/')
  const url = URL.parse(text, root.href)
  const isBelow = url?.origin === root.origin && url.pathname.startsWith(root.pathname)
  if (!isBelow || /[\p{C}\\]/u.test(text) || /^[/?]*\//.test(text))
    throw refuse('invalid_field', {
      param: 'return_to',
      message: '"return_to" must be a page of the console, such as "keys".',
      fact: { code: 'wrong_format', values: { format: 'console_page' } },
    })
  return url.pathname.slice(root.pathname.length) + url.search
}

export function requireOidc({ signIn }: Pick<PeopleContext, 'signIn'>): OidcPolicy {
  const { oidc } = signIn()
  if (oidc === undefined) throw new GatewayError('single_sign_on_off')
  return oidc
}

/** The error that a client sees. The provider's own message is only in the log and the audit log. */
export function refuseByProvider(error: unknown): GatewayError {
  if (!(error instanceof IdentityProviderError)) throw error
  return new GatewayError(error.code, { logCause: error.message }, { cause: error })
}
