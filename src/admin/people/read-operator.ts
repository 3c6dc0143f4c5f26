import { GatewayError } from '../../canonical/failure.ts'
import type { AdminRequest } from '../admin-route.ts'
import { type Operator, operatorOf } from './people-context.ts'
import type { Browser } from './sign-in.ts'

/** The one who makes the request. No route except the public ones admits a request without a principal. */
export function readOperator({ principal, address = '' }: AdminRequest): Operator {
  if (principal === undefined) throw new GatewayError('admin_only')
  return operatorOf(principal, address)
}

export function readBrowser({ address = '', userAgent = '', isSecure = false }: AdminRequest): Browser {
  return { address, userAgent, isSecure }
}
