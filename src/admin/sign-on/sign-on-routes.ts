import type { AdminRoute, AnyAdminRoute, PublicRoute } from '../admin-route.ts'
import { meSchema, userViewSchema } from '../people/people-contract.ts'
import { readBrowser, readOperator } from '../people/read-operator.ts'
import { checkInput, inputErrors } from '../read-input.ts'
import type { BegunSignOn } from './begin-sign-on.ts'
import {
  beginSignOnSchema,
  begunSignOnSchema,
  finishedSignOnSchema,
  showFactorSchema,
  signInMethodsSchema,
} from './sign-on-contract.ts'
import type { SignOnOperations } from './sign-on-operations.ts'

/** The routes by which people sign in through the identity provider. */
export function createSignOnRoutes(signOn: SignOnOperations): readonly AnyAdminRoute[] {
  return [...createPublicRoutes(signOn), ...createSessionRoutes(signOn), createUnlinkRoute(signOn)]
}

const beginErrors = ['single_sign_on_off', 'identity_provider_unavailable', 'too_many_sign_ins'] as const

function answerBegun({ url, cookie }: BegunSignOn) {
  return { status: 200, headers: { 'set-cookie': cookie }, body: { url } }
}

function createPublicRoutes(signOn: SignOnOperations): readonly PublicRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/sign-in',
      policy: { access: 'public' },
      summary: 'How people sign in: by password, through an identity provider, or both',
      answer: { status: 200, schema: signInMethodsSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...signOn.methods() } }),
    },
    {
      method: 'POST',
      path: '/admin/v1/sign-in/oidc',
      policy: { access: 'public' },
      summary: 'Begin to sign in through the identity provider, or to accept a link by it',
      body: beginSignOnSchema,
      answer: { status: 200, schema: begunSignOnSchema },
      errors: [...beginErrors, 'body_not_object', 'invalid_field', 'link_not_found'],
      async handler(request) {
        const input = checkInput(beginSignOnSchema, request.body)
        return answerBegun(await signOn.begin(input, readBrowser(request)))
      },
    },
    {
      method: 'GET',
      path: '/admin/v1/sign-in/oidc/callback',
      policy: { access: 'public', from: 'anywhere' },
      summary: 'Where the identity provider sends the browser back to; the console shows the outcome',
      answer: { status: 303, schema: finishedSignOnSchema },
      errors: [],
      async handler(request) {
        const query = new URLSearchParams(request.query)
        const { finished, cookies, page } = await signOn.finish(query, readBrowser(request))
        // A relative address, which is correct behind any path prefix that a proxy strips.
        const headers = { location: `../../../../console/${page}`, 'set-cookie': [...cookies] }
        return { status: 303, headers, body: { ...finished } }
      },
    },
  ]
}

function createSessionRoutes(signOn: SignOnOperations): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/admin/v1/sign-in/code',
      policy: { access: 'self', unfinished: true },
      summary: 'Show the second factor in a session that lacks it',
      body: showFactorSchema,
      answer: { status: 200, schema: meSchema },
      errors: [...inputErrors, 'session_required', 'code_required', 'too_many_sign_ins', 'user_not_found'],
      async handler(request) {
        return { status: 200, body: { ...(await signOn.showFactor(request.body, readOperator(request))) } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/reauthenticate/oidc',
      policy: { access: 'self', unfinished: true },
      summary: 'Begin to show once more, at the identity provider, who you are, for what is dangerous',
      answer: { status: 200, schema: begunSignOnSchema },
      errors: [...beginErrors, 'session_required'],
      handler: async (request) =>
        answerBegun(await signOn.beginFor('reauthenticate', readOperator(request), readBrowser(request))),
    },
    {
      method: 'POST',
      path: '/admin/v1/me/identity',
      policy: { access: 'self', fresh: true },
      summary: 'Begin to link your identity at the identity provider to your user',
      answer: { status: 200, schema: begunSignOnSchema },
      errors: [...beginErrors, 'session_required'],
      handler: async (request) =>
        answerBegun(await signOn.beginFor('join', readOperator(request), readBrowser(request))),
    },
  ]
}

function createUnlinkRoute(signOn: SignOnOperations): AdminRoute {
  return {
    method: 'DELETE',
    path: '/admin/v1/users/{id}/identity',
    pathParameters: { id: "The user's id or name." },
    policy: { access: 'owner', scope: 'users:write', fresh: true },
    summary: 'Unlink the identity of a user, who then cannot sign in by it; all sessions of the user end',
    answer: { status: 200, schema: userViewSchema },
    errors: ['user_not_found', 'invalid_field', 'owner_required'],
    async handler(request) {
      return {
        status: 200,
        body: { ...(await signOn.unlink(request.params['id'] ?? '', readOperator(request))) },
      }
    },
  }
}
