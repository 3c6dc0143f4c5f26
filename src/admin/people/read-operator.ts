import { GatewayError } from '../../canonical/failure.ts'
import type { AdminRequest } from '../admin-route.ts'
import { type Operator, operatorOf } from './people-context.ts'
import type { Browser } from './sign-in.ts'

/** Who asks. Every route but the public ones lets nobody come so far who is unknown. */
export function readOperator({ principal, address = '' }: AdminRequest): Operator {
  if (principal === undefined) throw new GatewayError('admin_only')
  return operatorOf(principal, address)
}

export function readBrowser({ address = '', userAgent = '', isSecure = false }: AdminRequest): Browser {
  return { address, userAgent, isSecure }
}
