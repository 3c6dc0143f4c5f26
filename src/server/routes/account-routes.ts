import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { readBillingSpan } from '../../pipeline/billing-span.ts'
import { describeKey, describeSubscription, describeUsage, usedOf } from '../../pipeline/describe-account.ts'
import type { RequestingCaller } from '../request-head.ts'
import type { Exchanged, RouteReply, ServerRoute } from '../route.ts'
import { replyJson } from './reply-json.ts'
import type { RouteOptions } from './route-options.ts'

type AccountOptions = Pick<RouteOptions, 'callerAccess' | 'clock'>

/** The routes on which callers read the account of their own key. */
export function createAccountRoutes({ callerAccess, clock }: AccountOptions): readonly ServerRoute[] {
  const common = { type: 'reply', method: 'GET', policy: 'caller' } as const
  return [
    {
      ...common,
      path: '/v1/key',
      async handle({ identity }) {
        const caller = callerOf(identity)
        const capture = callerAccess.readCapture(caller)
        return replyUncached(describeKey(caller, await callerAccess.readAccount(caller), capture))
      },
    },
    {
      ...common,
      path: '/v1/dashboard/billing/subscription',
      async handle({ identity }) {
        const caller = callerOf(identity)
        return replyUncached(describeSubscription(caller, await callerAccess.readAccount(caller)))
      },
    },
    {
      ...common,
      path: '/v1/dashboard/billing/usage',
      async handle({ identity, head }) {
        const caller = callerOf(identity)
        const span = readBillingSpan(new URLSearchParams(head.query), clock.nowMs())
        const used = usedOf(await callerAccess.readAccount(caller))
        return replyUncached(describeUsage(used ?? Number(await callerAccess.readCharged(caller, span))))
      },
    },
  ]
}

function callerOf(identity: Exchanged['identity']): RequestingCaller {
  // The policy of these routes admits only callers.
  if (identity.type !== 'caller') throw new InvariantError('a route of callers was reached without a key')
  return identity.caller
}

function replyUncached(body: JsonObject): RouteReply {
  const reply = replyJson(body)
  return { ...reply, headers: { ...reply.headers, 'cache-control': 'no-store' } }
}
