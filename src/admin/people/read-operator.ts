import type { AdminRequest, PublicRequest } from '../admin-route.ts'
import { type Operator, operatorOf } from './people-context.ts'
import type { Browser } from './sign-in.ts'

/** The sender of the request. */
export function readOperator({ principal, address }: AdminRequest): Operator {
  return operatorOf(principal, address)
}

export function readBrowser({ address, userAgent, isSecure, cookie, baseUrl }: PublicRequest): Browser {
  return { address, userAgent, isSecure, cookie, baseUrl }
}
