import type { OperatorIdentity } from '../../access/people/identify-operator.ts'
import { type AccessRefusal, type AdminPolicy, refusalOf } from '../../access/people/policy.ts'
import type { Principal } from '../../access/people/principal.ts'
import { readSessionCookie } from '../../access/people/session-cookie.ts'
import { tokenPrefix } from '../../access/people/token.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { AdminTokenCheck } from '../check-admin-token.ts'
import type { RecordBreakGlass } from './record-break-glass.ts'

/** The head of a request for the admin API, with the parts that identify its sender. */
export interface OperatorRequest {
  readonly policy: AdminPolicy
  readonly method: string
  readonly path: string
  /** The sender's address. */
  readonly address: string
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  /** Whether the sender's browser reached the gateway over TLS. */
  readonly isSecure: boolean
  readonly host: string | undefined
  readonly origin: string | undefined
  /** The header `Sec-Fetch-Site`, which no page can forge. */
  readonly fetchSite: string | undefined
}

/** Undefined if the route needs no sign-in. Fails with the error that explains why access is refused. */
export type AdmitOperator = (request: OperatorRequest) => Promise<Principal | undefined>

export interface AdmissionOptions {
  readonly identity: OperatorIdentity
  readonly checkAdmin: AdminTokenCheck
  readonly recordBreakGlass: RecordBreakGlass
  readonly clock: Pick<Clock, 'nowMs'>
}

export function createOperatorAdmission({
  identity,
  checkAdmin,
  recordBreakGlass,
  clock,
}: AdmissionOptions): AdmitOperator {
  return async (request) => {
    const { policy, authorization } = request
    if (policy.access === 'public') {
      if (policy.from !== 'anywhere') refuseOtherSites(request)
      return undefined
    }
    const principal =
      authorization === undefined
        ? await findBySession(request, identity)
        : await findByToken(authorization, { identity, checkAdmin })
    enforce(refusalOf(policy, principal, { nowMs: clock.nowMs() }))
    if (principal?.type === 'admin-token') await recordBreakGlass(request)
    return principal
  }
}

const SHOW_CODE =
  'This session lacks the second factor. Send the code that the authenticator app shows now: POST /admin/v1/sign-in/code.'

/** Called after the body is read, as some of its fields require the password again. */
export function checkFields(
  policy: AdminPolicy,
  principal: Principal | undefined,
  { body, nowMs }: { readonly body: unknown; readonly nowMs: number },
): void {
  const fields = isJsonObject(body) ? Object.keys(body) : []
  enforce(refusalOf(policy, principal, { nowMs, fields }))
}

function enforce(refusal: AccessRefusal | undefined): void {
  switch (refusal?.reason) {
    case undefined:
      return
    case 'unauthenticated':
      throw new GatewayError('admin_only')
    case 'role': {
      const { role, allowed } = refusal
      const message = `This is for the role ${allowed.join(', ')}; yours is ${role}. Ask an owner or an admin.`
      throw refuse('not_permitted', {
        message,
        fact: { code: 'role_needed', values: { roles: allowed, role } },
      })
    }
    case 'scope':
      throw refuse('scope_missing', {
        message: `This token lacks the scope "${refusal.scope}". Make one that has it: "headgate tokens create".`,
        fact: { code: 'scope_needed', values: { scope: refusal.scope } },
      })
    case 'session':
      throw refuse('scope_missing', {
        message: 'A person does this, signed in with a password; a token cannot.',
        fact: { code: 'only_for_people', values: {} },
      })
    case 'second-factor':
      if (refusal.missing !== 'code') throw new GatewayError('second_factor_required')
      throw refuse('code_required', { message: SHOW_CODE, fact: { code: 'session_lacks_code', values: {} } })
    case 'fresh':
      throw new GatewayError('reauthentication_required')
  }
}

async function findBySession(
  request: OperatorRequest,
  identity: OperatorIdentity,
): Promise<Principal | undefined> {
  const secret = readSessionCookie(request.cookie, request.isSecure)
  if (secret === undefined) return undefined
  // A browser sends the cookie from any page, but only the holder of a token sends the token.
  if (!isSafe(request)) requireSameSite(request)
  return identity.bySession(secret)
}

async function findByToken(
  authorization: string,
  { identity, checkAdmin }: Pick<AdmissionOptions, 'identity' | 'checkAdmin'>,
): Promise<Principal> {
  const offered = authorization.replace(/^bearer\s+/i, '').trim()
  if (offered.startsWith(tokenPrefix)) {
    const principal = await identity.byToken(offered)
    if (principal !== undefined) return principal
  }
  checkAdmin(authorization)
  return { type: 'admin-token' }
}

/** Whether the method only reads (RFC 9110 §9.2.1). */
function isSafe({ method }: OperatorRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Every browser since 2023 sends `Sec-Fetch-Site`. Older ones send `Origin` with every method that does not only
 * read.
 */
function requireSameSite(request: OperatorRequest): void {
  const { fetchSite, origin } = request
  if (fetchSite === undefined && origin === undefined) throw new GatewayError('cross_site_request')
  refuseOtherSites(request)
}

/** Clients other than browsers send neither header. They have no cookie that another page could use. */
function refuseOtherSites({ fetchSite, origin, host }: OperatorRequest): void {
  const isOther =
    fetchSite === undefined ? origin !== undefined && hostOf(origin) !== host : fetchSite !== 'same-origin'
  if (isOther) throw new GatewayError('cross_site_request')
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
