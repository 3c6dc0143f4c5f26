import type { AdminRoute } from '../admin-route.ts'
import { readActor } from '../read-actor.ts'
import { checkInput, inputErrors } from '../read-input.ts'
import { readReach } from '../read-reach.ts'
import {
  codeListSchema,
  createdCodesSchema,
  creditListSchema,
  creditViewSchema,
  revokedCodeSchema,
} from './credit-contract.ts'
import {
  createCodesSchema,
  grantCreditSchema,
  listCodesSchema,
  listCreditsSchema,
  redeemCodeSchema,
} from './credit-input-schema.ts'
import type { CodeOperations } from './manage-codes.ts'
import type { CreditOperations } from './manage-credits.ts'

/** The routes of what keys, users and groups were granted, and of what is left of it. */
export function createCreditRoutes(credits: CreditOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'own', scope: 'credits:read' },
      path: '/admin/v1/credits',
      summary: 'List credits by pages, what is left of them, and their grants',
      query: listCreditsSchema,
      answer: { status: 200, schema: creditListSchema },
      errors: ['invalid_field', 'key_not_found'],
      async handler(request) {
        const params = checkInput(listCreditsSchema, request.query)
        return { status: 200, body: { ...(await credits.list(params, readReach(request))) } }
      },
    },
    {
      method: 'POST',
      policy: { access: 'write', scope: 'credits:write' },
      path: '/admin/v1/credits',
      summary: 'Grant credit to a key, a user or a group, or take it back with an amount below zero',
      body: grantCreditSchema,
      answer: { status: 201, schema: creditViewSchema },
      errors: [...inputErrors, 'key_not_found'],
      async handler(request) {
        const input = checkInput(grantCreditSchema, request.body)
        return { status: 201, body: { ...(await credits.grant(input, readActor(request))) } }
      },
    },
  ]
}

/** Codes that give their credit once. */
export function createCodeRoutes(codes: CodeOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'read', scope: 'credits:read' },
      path: '/admin/v1/codes',
      summary: 'List redemption codes, newest first',
      query: listCodesSchema,
      answer: { status: 200, schema: codeListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await codes.list(query)) } }),
    },
    {
      method: 'POST',
      policy: { access: 'write', scope: 'credits:write' },
      path: '/admin/v1/codes',
      summary: 'Create redemption codes; they are in this answer only',
      body: createCodesSchema,
      answer: { status: 201, schema: createdCodesSchema },
      errors: [...inputErrors],
      async handler(request) {
        const input = checkInput(createCodesSchema, request.body)
        return { status: 201, body: { ...(await codes.create(input, readActor(request))) } }
      },
    },
    {
      method: 'POST',
      policy: { access: 'write', scope: 'credits:write' },
      path: '/admin/v1/codes/redeem',
      summary: 'Redeem a code for a key, a user or a group',
      body: redeemCodeSchema,
      answer: { status: 200, schema: creditViewSchema },
      errors: [...inputErrors, 'key_not_found', 'code_not_redeemable'],
      async handler(request) {
        const input = checkInput(redeemCodeSchema, request.body)
        return { status: 200, body: { ...(await codes.redeem(input, readActor(request))) } }
      },
    },
    {
      method: 'DELETE',
      policy: { access: 'write', scope: 'credits:write' },
      path: '/admin/v1/codes/{id}',
      pathParameters: { id: "The code's id." },
      summary: 'Revoke a code for good; one that is redeemed stays so',
      answer: { status: 200, schema: revokedCodeSchema },
      errors: ['config_object_not_found'],
      async handler(request) {
        return {
          status: 200,
          body: { ...(await codes.revoke(request.params['id'] ?? '', readActor(request))) },
        }
      },
    },
  ]
}
