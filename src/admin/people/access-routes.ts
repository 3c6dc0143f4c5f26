import type { AdminRoute } from '../admin-route.ts'
import { checkInput, inputErrors } from '../read-input.ts'
import {
  createdTokenSchema,
  endedSessionSchema,
  revokedTokenSchema,
  sessionListSchema,
  tokenListSchema,
} from './people-contract.ts'
import { createTokenSchema, listSessionsSchema, listTokensSchema } from './people-input-schema.ts'
import type { PeopleOperations } from './people-operations.ts'
import { readOperator } from './read-operator.ts'

/** Sessions and tokens: one's own, and for admins those of others. */
export function createAccessRoutes({ access }: PeopleOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/sessions',
      policy: { access: 'self' },
      summary: 'List your sessions; for admins also those of others',
      query: listSessionsSchema,
      answer: { status: 200, schema: sessionListSchema },
      errors: ['invalid_field', 'not_permitted', 'user_not_found'],
      async handler(request) {
        return {
          status: 200,
          body: { ...(await access.listSessions(request.query, readOperator(request))) },
        }
      },
    },
    {
      method: 'DELETE',
      path: '/admin/v1/sessions/{id}',
      pathParameters: { id: "The session's id." },
      policy: { access: 'self' },
      summary: 'End a session of yours; for admins also one of others',
      answer: { status: 200, schema: endedSessionSchema },
      errors: ['session_not_found', 'owner_required'],
      async handler(request) {
        return {
          status: 200,
          body: { ...(await access.endSession(request.params['id'] ?? '', readOperator(request))) },
        }
      },
    },
    ...createTokenRoutes({ access }),
  ]
}

function createTokenRoutes({ access }: Pick<PeopleOperations, 'access'>): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/tokens',
      policy: { access: 'own', scope: 'tokens:read' },
      summary: 'List your tokens; for admins also those of others and of services',
      query: listTokensSchema,
      answer: { status: 200, schema: tokenListSchema },
      errors: ['invalid_field'],
      async handler(request) {
        return { status: 200, body: { ...(await access.listTokens(request.query, readOperator(request))) } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/tokens',
      policy: { access: 'self', fresh: true },
      summary: 'Make a token for scripts; it is in this answer only',
      body: createTokenSchema,
      answer: { status: 201, schema: createdTokenSchema },
      errors: [...inputErrors, 'session_required', 'owner_required', 'too_many_tokens'],
      async handler(request) {
        const input = checkInput(createTokenSchema, request.body)
        return { status: 201, body: { ...(await access.createToken(input, readOperator(request))) } }
      },
    },
    {
      method: 'DELETE',
      path: '/admin/v1/tokens/{id}',
      pathParameters: { id: "The token's id." },
      policy: { access: 'self' },
      summary: 'Revoke a token of yours; for admins also one of others or of a service',
      answer: { status: 200, schema: revokedTokenSchema },
      errors: ['token_not_found', 'owner_required'],
      async handler(request) {
        return {
          status: 200,
          body: { ...(await access.revokeToken(request.params['id'] ?? '', readOperator(request))) },
        }
      },
    },
  ]
}
