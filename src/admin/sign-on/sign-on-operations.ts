import { labelOfProvider } from '../../access/sign-on/sign-in-policy.ts'
import { refuse } from '../../canonical/refusal.ts'
import { checkSecondFactor } from '../people/check-second-factor.ts'
import { beginAttempt, succeedAttempt } from '../people/count-attempts.ts'
import { viewUser } from '../people/manage-users.ts'
import {
  findUser,
  type Operator,
  type PeopleContext,
  recordOf,
  requireOwnerFor,
  requireSession,
} from '../people/people-context.ts'
import type { Me, UserView } from '../people/people-contract.ts'
import { type Browser, viewMe } from '../people/sign-in.ts'
import { readInput } from '../read-input.ts'
import { describeIdentity } from './arrival.ts'
import { type BegunSignOn, beginSignOn, readSignOnOrder } from './begin-sign-on.ts'
import { type EndedSignOn, finishSignOn } from './finish-sign-on.ts'
import {
  type BeginSignOn,
  beginSignOnSchema,
  type SignInMethods,
  showFactorSchema,
} from './sign-on-contract.ts'

/** The operations of single sign-on, and of the second factor that such a session still lacks. */
export interface SignOnOperations {
  /** Shows the ways to sign in. */
  methods(): SignInMethods
  begin(input: BeginSignOn, browser: Browser): Promise<BegunSignOn>
  /** Sends the user of a session to the provider, to link an identity or to confirm the user's identity again. */
  beginFor(type: 'join' | 'reauthenticate', by: Operator, browser: Browser): Promise<BegunSignOn>
  finish(query: URLSearchParams, browser: Browser): Promise<EndedSignOn>
  /** Checks the second factor in a session that lacks it. */
  showFactor(input: unknown, by: Operator): Promise<Me>
  /** Removes the identity of a user, who can then no longer sign in by it. */
  unlink(reference: string, by: Operator): Promise<UserView>
}

export function createSignOnOperations(context: PeopleContext): SignOnOperations {
  return {
    methods() {
      const { password, oidc } = context.signIn()
      return { password, oidc: oidc === undefined ? null : { label: labelOfProvider(oidc) } }
    },
    async begin(input, browser) {
      const order = await readSignOnOrder(readInput(beginSignOnSchema, input), browser.address, context)
      return beginSignOn(order, browser, context)
    },
    async beginFor(type, by, browser) {
      const { id: userId, credential } = requireSession(by)
      const purpose = { type, userId, sessionId: credential.id } as const
      return beginSignOn({ purpose, returnTo: 'account' }, browser, context)
    },
    finish: (query, browser) => finishSignOn(query, browser, context),
    showFactor: (input, by) => showFactor(input, by, context),
    unlink: (reference, by) => unlinkIdentity(reference, by, context),
  }
}

async function showFactor(input: unknown, by: Operator, context: PeopleContext): Promise<Me> {
  const { code } = readInput(showFactorSchema, input)
  const { stores } = context
  const principal = requireSession(by)
  const user = await findUser(context, principal.id)
  const attempt = { name: user.name, address: by.actor.address }
  await beginAttempt(attempt, context)
  const factor = await checkSecondFactor(user, code, context)
  await succeedAttempt(attempt, context)
  const details = [`name: ${user.name}`, `by ${factor ?? 'nothing'}`]
  const what = { action: 'user.sign_in', subject: user.id, details } as const
  await stores.sessions.showFactor(principal.credential.id, recordOf(by.actor, context, what))
  const credential = { ...principal.credential, missingFactor: undefined }
  return viewMe({ principal: { ...principal, credential } }, user, context.signIn().secondFactorRoles)
}

async function unlinkIdentity(reference: string, by: Operator, context: PeopleContext): Promise<UserView> {
  const user = await findUser(context, reference)
  requireOwnerFor(by, user.role)
  const { identity } = user
  if (identity === undefined)
    throw refuse('invalid_field', {
      message: `User "${user.name}" has no identity to unlink.`,
      fact: { code: 'user_without_identity', values: { name: user.name } },
    })
  const details = [`name: ${user.name}`, `identity: ${describeIdentity(identity)}`]
  const record = recordOf(by.actor, context, { action: 'user.identity_unlink', subject: user.id, details })
  const { principal } = by
  const isOwn = principal.type === 'user' && principal.credential.type === 'session'
  const except = isOwn && principal.credential.type === 'session' ? principal.credential.id : undefined
  await context.stores.users.unlinkIdentity(user.id, { record, except })
  return viewUser(await findUser(context, user.id))
}
