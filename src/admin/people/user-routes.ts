import type { AdminRoute } from '../admin-route.ts'
import { checkInput, inputErrors } from '../read-input.ts'
import {
  changedUserSchema,
  createdLinkSchema,
  deletedUserSchema,
  linkListSchema,
  removedTotpSchema,
  userListSchema,
  userViewSchema,
  withdrawnLinkSchema,
} from './people-contract.ts'
import { changeUserSchema, deleteUserSchema, inviteSchema, listUsersSchema } from './people-input-schema.ts'
import type { PeopleOperations } from './people-operations.ts'
import { readOperator } from './read-operator.ts'

const read = { access: 'read', scope: 'users:read' } as const
const write = { access: 'write', scope: 'users:write', fresh: true } as const

/** Users and the links that make them, for admins. */
export function createUserRoutes(people: PeopleOperations): readonly AdminRoute[] {
  return [
    ...createListRoutes(people),
    ...createOneUserRoutes(people),
    ...createRescueRoutes(people),
    ...createLinkRoutes(people),
  ]
}

function createListRoutes({ users, links }: PeopleOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/users',
      policy: read,
      summary: 'List users by pages: filtered, searched and sorted',
      query: listUsersSchema,
      answer: { status: 200, schema: userListSchema },
      errors: ['invalid_field'],
      async handler({ query }) {
        return { status: 200, body: { ...(await users.list(checkInput(listUsersSchema, query))) } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/users/invite',
      policy: write,
      summary: 'Make a link with which a person becomes a user; its secret is in this answer only',
      body: inviteSchema,
      answer: { status: 201, schema: createdLinkSchema },
      errors: [...inputErrors, 'owner_required', 'name_taken'],
      async handler(request) {
        const input = checkInput(inviteSchema, request.body)
        return { status: 201, body: { ...(await links.invite(input, readOperator(request))) } }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/users/invite-owner',
      policy: { access: 'owner', scope: 'users:write', fresh: true },
      summary: 'Make a link with which a person becomes an owner; its secret is in this answer only',
      answer: { status: 201, schema: createdLinkSchema },
      errors: [],
      async handler(request) {
        return { status: 201, body: { ...(await links.inviteOwner(readOperator(request))) } }
      },
    },
  ]
}

const onOneUser = {
  path: '/admin/v1/users/{id}',
  pathParameters: { id: "The user's id or name." },
} as const

function createOneUserRoutes({ users }: PeopleOperations): readonly AdminRoute[] {
  return [
    {
      ...onOneUser,
      method: 'GET',
      policy: read,
      summary: 'Show a user',
      answer: { status: 200, schema: userViewSchema },
      errors: ['user_not_found'],
      handler: async ({ params }) => ({ status: 200, body: { ...(await users.get(params['id'] ?? '')) } }),
    },
    {
      ...onOneUser,
      method: 'PATCH',
      policy: write,
      summary: 'Change a user: role, groups, disabled. Disabling ends all sessions and tokens',
      body: changeUserSchema,
      answer: { status: 200, schema: changedUserSchema },
      errors: [...inputErrors, 'owner_required', 'user_not_found', 'last_owner'],
      async handler(request) {
        const change = checkInput(changeUserSchema, request.body)
        const changed = await users.change(request.params['id'] ?? '', change, readOperator(request))
        return { status: 200, body: { ...changed } }
      },
    },
    {
      ...onOneUser,
      method: 'DELETE',
      policy: write,
      summary: 'Delete a user for good; usage and the audit keep the name',
      query: deleteUserSchema,
      answer: { status: 200, schema: deletedUserSchema },
      errors: ['missing_field', 'invalid_field', 'owner_required', 'user_not_found', 'last_owner'],
      async handler(request) {
        const choice = checkInput(deleteUserSchema, request.query)
        const deleted = await users.delete(request.params['id'] ?? '', choice, readOperator(request))
        return { status: 200, body: { ...deleted } }
      },
    },
  ]
}

/** The routes that help a user who can no longer sign in. */
function createRescueRoutes({ links, secondFactor }: PeopleOperations): readonly AdminRoute[] {
  return [
    {
      ...onOneUser,
      path: '/admin/v1/users/{id}/reset-link',
      method: 'POST',
      policy: write,
      summary: 'Make a link to a new password; its secret is in this answer only',
      answer: { status: 201, schema: createdLinkSchema },
      errors: ['owner_required', 'user_not_found', 'user_disabled'],
      async handler(request) {
        const link = await links.reset(request.params['id'] ?? '', readOperator(request))
        return { status: 201, body: { ...link } }
      },
    },
    {
      ...onOneUser,
      path: '/admin/v1/users/{id}/totp',
      method: 'DELETE',
      policy: write,
      summary: 'Turn the second factor of a user off, who has lost the app and the recovery codes',
      answer: { status: 200, schema: removedTotpSchema },
      errors: ['owner_required', 'user_not_found'],
      async handler(request) {
        await secondFactor.remove(request.params['id'] ?? '', readOperator(request))
        return { status: 200, body: { second_factor: false } }
      },
    },
  ]
}

function createLinkRoutes({ links }: PeopleOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/links',
      policy: read,
      summary: 'List the links that nobody has used yet, without their secrets, newest first',
      answer: { status: 200, schema: linkListSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...(await links.list()) } }),
    },
    {
      method: 'DELETE',
      path: '/admin/v1/links/{id}',
      pathParameters: { id: "The link's id." },
      policy: write,
      summary: 'Withdraw a link',
      answer: { status: 200, schema: withdrawnLinkSchema },
      errors: ['owner_required', 'link_not_found'],
      async handler(request) {
        return {
          status: 200,
          body: { ...(await links.withdraw(request.params['id'] ?? '', readOperator(request))) },
        }
      },
    },
  ]
}
