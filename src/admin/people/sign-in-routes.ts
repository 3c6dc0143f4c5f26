import type { Principal } from '../../access/people/principal.ts'
import type { AdminRoute, AnyAdminRoute, PublicRoute } from '../admin-route.ts'
import { checkInput, inputErrors, readInput } from '../read-input.ts'
import {
  changedPasswordSchema,
  confirmedTotpSchema,
  linkViewSchema,
  type MeWithOperations,
  meSchema,
  meWithOperationsSchema,
  removedTotpSchema,
  signedOutSchema,
  startedTotpSchema,
  userViewSchema,
} from './people-contract.ts'
import {
  acceptLinkSchema,
  changePasswordSchema,
  confirmTotpSchema,
  reauthenticateSchema,
  showLinkSchema,
  signInSchema,
} from './people-input-schema.ts'
import type { PeopleOperations } from './people-operations.ts'
import { readBrowser, readOperator } from './read-operator.ts'

/** The routes by which people sign in and manage their own access. */
export function createSignInRoutes(people: PeopleOperations, me: MeDetails): readonly AnyAdminRoute[] {
  return [
    ...createPublicRoutes(people),
    createMeRoute(people, me),
    ...createSessionRoutes(people),
    ...createSecondFactorRoutes(people),
  ]
}

/** Lists the operations that a principal may call, as method and path. */
export type ListOperations = (principal: Principal) => readonly string[]

/** The parts of the response about the caller that do not concern people. */
export interface MeDetails {
  readonly listOperations: ListOperations
  readonly callers: () => MeWithOperations['callers']
}

const passwordErrors = ['sign_in_failed', 'too_many_sign_ins', 'sign_in_busy'] as const

function createPublicRoutes({ signIn, links }: PeopleOperations): readonly PublicRoute[] {
  return [
    {
      method: 'POST',
      path: '/admin/v1/sign-in',
      policy: { access: 'public' },
      summary: 'Sign in with name and password; the answer sets the cookie of the session',
      body: signInSchema,
      answer: { status: 200, schema: meSchema },
      errors: [...inputErrors, ...passwordErrors, 'code_required', 'password_sign_in_off'],
      async handler(request) {
        const input = checkInput(signInSchema, request.body)
        const { me, cookie } = await signIn.signIn(input, readBrowser(request))
        return { status: 200, headers: { 'set-cookie': cookie }, body: { ...me } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/links/show',
      policy: { access: 'public' },
      summary: 'What a link does, for the holder of its secret',
      body: showLinkSchema,
      answer: { status: 200, schema: linkViewSchema },
      errors: [...inputErrors, 'link_not_found', 'too_many_sign_ins'],
      async handler({ body, address }) {
        return { status: 200, body: { ...(await links.show(readInput(showLinkSchema, body), address)) } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/links/accept',
      policy: { access: 'public' },
      summary: 'Use a link: become the user that it is for, or set another password',
      body: acceptLinkSchema,
      answer: { status: 200, schema: userViewSchema },
      errors: [
        ...inputErrors,
        'link_not_found',
        'name_taken',
        'too_many_sign_ins',
        'sign_in_busy',
        'password_sign_in_off',
      ],
      async handler({ body, address }) {
        const input = checkInput(acceptLinkSchema, body)
        return { status: 200, body: { ...(await links.accept(input, address)) } }
      },
    },
  ]
}

function createMeRoute({ signIn }: PeopleOperations, { listOperations, callers }: MeDetails): AdminRoute {
  return {
    method: 'GET',
    path: '/admin/v1/me',
    policy: { access: 'self', tokens: true, unfinished: true },
    summary: 'Who asks: name, role, groups, scopes, session, and the operations that one may call',
    answer: { status: 200, schema: meWithOperationsSchema },
    errors: [],
    async handler(request) {
      const operations = [...listOperations(request.principal)]
      return {
        status: 200,
        body: { ...(await signIn.showMe(readOperator(request))), operations, callers: callers() },
      }
    },
  }
}

function createSessionRoutes({ signIn }: PeopleOperations): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/admin/v1/sign-out',
      policy: { access: 'self', unfinished: true },
      summary: 'End the session that asks',
      answer: { status: 200, schema: signedOutSchema },
      errors: ['session_required'],
      async handler(request) {
        const cookie = await signIn.signOut(readOperator(request), readBrowser(request))
        return { status: 200, headers: { 'set-cookie': cookie }, body: { signed_out: true } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/reauthenticate',
      policy: { access: 'self', unfinished: true },
      summary: 'Give the password again, for what is dangerous',
      body: reauthenticateSchema,
      answer: { status: 200, schema: meSchema },
      errors: [...inputErrors, 'session_required', ...passwordErrors, 'code_required'],
      async handler(request) {
        const input = checkInput(reauthenticateSchema, request.body)
        return { status: 200, body: { ...(await signIn.reauthenticate(input, readOperator(request))) } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/me/password',
      policy: { access: 'self' },
      summary: 'Choose another password; all other sessions of the user end',
      body: changePasswordSchema,
      answer: { status: 200, schema: changedPasswordSchema },
      errors: [...inputErrors, 'session_required', ...passwordErrors, 'user_not_found'],
      async handler(request) {
        await signIn.changePassword(request.body, readOperator(request))
        return { status: 200, body: { changed: true } }
      },
    },
  ]
}

function createSecondFactorRoutes({ secondFactor }: PeopleOperations): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/admin/v1/me/totp',
      policy: { access: 'self', unfinished: true, fresh: true },
      summary: 'Make the secret of a second factor, for an authenticator app',
      answer: { status: 200, schema: startedTotpSchema },
      errors: ['session_required', 'second_factor_exists'],
      handler: async (request) => ({
        status: 200,
        body: { ...(await secondFactor.start(readOperator(request))) },
      }),
    },
    {
      method: 'POST',
      path: '/admin/v1/me/totp/confirm',
      policy: { access: 'self', unfinished: true, fresh: true },
      summary: 'Turn the second factor on by a first code; the recovery codes are in this answer only',
      body: confirmTotpSchema,
      answer: { status: 200, schema: confirmedTotpSchema },
      errors: [...inputErrors, 'session_required', 'second_factor_exists'],
      async handler(request) {
        const codes = await secondFactor.confirm(request.body, readOperator(request))
        return { status: 200, body: { recovery_codes: [...codes] } }
      },
    },
    {
      method: 'DELETE',
      path: '/admin/v1/me/totp',
      policy: { access: 'self', fresh: true },
      summary: 'Turn the second factor off',
      answer: { status: 200, schema: removedTotpSchema },
      errors: ['session_required'],
      async handler(request) {
        await secondFactor.remove(undefined, readOperator(request))
        return { status: 200, body: { second_factor: false } }
      },
    },
  ]
}
