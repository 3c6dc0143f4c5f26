import { principalOf } from '../../access/people/identify-operator.ts'
import { isOutdated } from '../../access/people/password.ts'
import { authorOf } from '../../access/people/principal.ts'
import type { Role } from '../../access/people/role.ts'
import { FRESH_MS, makeSession } from '../../access/people/session.ts'
import { clearSessionCookie, writeSessionCookie } from '../../access/people/session-cookie.ts'
import type { SignInAttempt } from '../../access/people/sign-in-throttle.ts'
import type { User } from '../../access/people/user.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { writeTimeOrNull } from '../../kit/time/write-time.ts'
import { readInput } from '../read-input.ts'
import { refuseField } from '../view-problem.ts'
import { checkSecondFactor } from './check-second-factor.ts'
import { beginAttempt, succeedAttempt } from './count-attempts.ts'
import { viewIdentity } from './manage-users.ts'
import {
  findUser,
  type Operator,
  type PeopleContext,
  recordOf,
  requireSession,
  roleOf,
} from './people-context.ts'
import type { Me } from './people-contract.ts'
import {
  changePasswordSchema,
  type Reauthenticate,
  reauthenticateSchema,
  type SignIn,
  signInSchema,
} from './people-input-schema.ts'

/** The browser that signs in. */
export interface Browser {
  readonly address: string
  readonly userAgent: string
  /** Whether the request came over TLS. */
  readonly isSecure: boolean
  /** The header `Cookie`. */
  readonly cookie: string | undefined
  /** The address by which the browser reached the gateway, without a trailing slash. */
  readonly baseUrl: string
}

export interface SignedIn {
  readonly me: Me
  readonly cookie: string
}

/** The operations of signing in and out. */
export interface SignInOperations {
  signIn(input: SignIn, browser: Browser): Promise<SignedIn>
  /** Resolves with the cookie that removes the session cookie. */
  signOut(by: Operator, browser: Browser): Promise<string>
  reauthenticate(input: Reauthenticate, by: Operator): Promise<Me>
  showMe(by: Operator): Promise<Me>
  changePassword(input: unknown, by: Operator): Promise<void>
}

export function createSignInOperations(context: PeopleContext): SignInOperations {
  const { stores, clock } = context
  return {
    signIn: (input, browser) => signIn(readInput(signInSchema, input), browser, context),
    async signOut(by, { isSecure }) {
      const { credential, id } = requireSession(by)
      const what = { action: 'session.end', subject: id, details: ['signed out'] } as const
      await stores.sessions.end(credential.id, recordOf(by.actor, context, what))
      return clearSessionCookie(isSecure)
    },
    async reauthenticate(input, by) {
      const { password, code } = readInput(reauthenticateSchema, input)
      const principal = requireSession(by)
      const attempt = { name: principal.name, address: by.actor.address }
      const { credential: shown } = await checkAttempt({ attempt, password, code }, context)
      const freshUntilMs = clock.nowMs() + FRESH_MS
      const { id, name } = principal
      const what = { action: 'user.reauthenticate', subject: id, details: [`name: ${name}`] } as const
      const record = recordOf({ ...by.actor, credential: shown }, context, what)
      await stores.sessions.refresh(principal.credential.id, freshUntilMs, record)
      const credential = { ...principal.credential, freshUntilMs }
      return viewMe(
        { principal: { ...principal, credential } },
        await findUser(context, id),
        context.signIn().secondFactorRoles,
      )
    },
    async showMe(by) {
      const { principal } = by
      return viewMe(
        by,
        principal.type === 'user' ? await findUser(context, principal.id) : undefined,
        context.signIn().secondFactorRoles,
      )
    },
    async changePassword(input, by) {
      const { password, new_password } = readInput(changePasswordSchema, input)
      const { name, id, credential } = requireSession(by)
      await checkPassword({ attempt: { name, address: by.actor.address }, password }, context)
      guardPassword(new_password, name)
      const record = recordOf(by.actor, context, {
        action: 'user.password',
        subject: id,
        details: [`name: ${name}`],
      })
      const hash = await context.hasher.hash(new_password)
      const change = { password: hash, record, except: credential.id }
      if (!(await stores.users.changePassword(id, change))) throw new GatewayError('user_not_found')
    },
  }
}

/** Refuses a password that an attacker would try first. */
export function guardPassword(password: string, name: string): void {
  const isName = password.toLowerCase().replaceAll(name.toLowerCase(), '').length < 6
  const isRepeated = new Set(password).size < 4
  if (!isName && !isRepeated) return
  throw refuseField('invalid_field', {
    param: 'password',
    message:
      'The password is too easy to guess: it is little more than the name, or a few characters repeated.',
    fact: { code: 'weak_password', values: {} },
  })
}

async function signIn(
  { name, password, code }: SignIn,
  browser: Browser,
  context: PeopleContext,
): Promise<SignedIn> {
  const { address, userAgent, isSecure } = browser
  const { user, credential: shown } = await checkAttempt(
    { attempt: { name, address }, password, code },
    context,
  )
  if (!mayUsePassword(user.role, context)) throw new GatewayError('password_sign_in_off')
  const hasSecondFactor = shown !== 'password'
  const order = { userId: user.id, address, userAgent, hasSecondFactor }
  const { session, secret } = makeSession(order, context)
  const actor = { author: user.name, credential: shown, address }
  const what = { action: 'user.sign_in', subject: user.id, details: [`name: ${user.name}`] } as const
  const start = { password: user.password, record: recordOf(actor, context, what) }
  if (!(await context.stores.sessions.start(session, start))) throw new GatewayError('sign_in_failed')
  const principal = principalOf(user, session, context.signIn().secondFactorRoles)
  return {
    me: viewMe({ principal }, user, context.signIn().secondFactorRoles),
    cookie: writeSessionCookie(secret, isSecure),
  }
}

/**
 * Whether a password is accepted. Owners may always use one: an identity provider that is down or misconfigured must
 * not lock everybody out.
 */
export function mayUsePassword(role: Role, { signIn: policy }: Pick<PeopleContext, 'signIn'>): boolean {
  return policy().password || role === 'owner'
}

interface Attempted {
  readonly attempt: SignInAttempt & { readonly name: string }
  readonly password: string
  readonly code?: string | undefined
}

interface PassedAttempt {
  readonly user: User
  /** The credential in the words of the audit log. */
  readonly credential: string
}

/** Checks the password, then the second factor. Only success of both clears earlier failures. */
async function checkAttempt(attempted: Attempted, context: PeopleContext): Promise<PassedAttempt> {
  const user = await checkPassword(attempted, context, 'keep-count')
  const factor = await checkSecondFactor(user, attempted.code, context)
  await succeedAttempt(attempted.attempt, context)
  return { user, credential: factor === undefined ? 'password' : `password, ${factor}` }
}

/**
 * Checks the password. Unknown names, wrong passwords and disabled users cost the same work and get the same
 * response.
 */
async function checkPassword(
  { attempt, password }: Attempted,
  context: PeopleContext,
  onSuccess: 'forget' | 'keep-count' = 'forget',
): Promise<User> {
  const { stores, hasher } = context
  await beginAttempt(attempt, context)
  const user = await stores.users.findByName(attempt.name)
  const isRight = await hasher.verify(password, user?.password)
  if (user === undefined || !isRight || user.disabled) throw new GatewayError('sign_in_failed')
  if (onSuccess === 'forget') await succeedAttempt(attempt, context)
  if (user.password === undefined || !isOutdated(user.password)) return user
  const rehashed = await hasher.hash(password)
  await stores.users.rehash(user.id, user.password, rehashed)
  return { ...user, password: rehashed }
}

/** Describes the principal to itself. */
export function viewMe(
  { principal }: Pick<Operator, 'principal'>,
  user: User | undefined,
  roles: readonly Role[],
): Me {
  const credential = principal.type === 'user' ? principal.credential : undefined
  return {
    type: principal.type,
    name: authorOf(principal),
    role: roleOf(principal),
    groups: principal.type === 'user' ? principal.groups.map((each) => ({ ...each })) : [],
    scopes: scopesOf(principal),
    session: credential?.type === 'session' ? credential.id : null,
    fresh_until: writeTimeOrNull(credential?.type === 'session' ? credential.freshUntilMs : undefined),
    missing_factor: credential?.type === 'session' ? (credential.missingFactor ?? null) : null,
    password: user?.password !== undefined,
    second_factor: user?.totp?.type === 'confirmed',
    second_factor_required: principal.type === 'user' && roles.includes(principal.role),
    identity: viewIdentity(user?.identity),
  }
}

function scopesOf(principal: Operator['principal']): string[] | null {
  if (principal.type === 'service') return [...principal.scopes]
  if (principal.type === 'user' && principal.credential.type === 'token')
    return [...principal.credential.scopes]
  return null
}
