import { type Failure, GatewayError, toGatewayError } from '../../canonical/failure.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { FaultCodec } from '../../kit/local-calls/call-message.ts'
import { EpochEndedError } from '../../metering/leases/epoch-ended-error.ts'

/** The errors that a store may throw, as plain data. */
type StoreFault =
  | { readonly type: 'gateway'; readonly failure: Failure }
  | ({ readonly type: 'operator' } & Pick<OperatorError, 'code' | 'happened' | 'advice'>)
  | { readonly type: 'epoch-ended'; readonly intents: EpochEndedError['intents'] }
  | { readonly type: 'other'; readonly message: string }

/** Makes stores that are called over a socket throw the same errors as stores in the process itself. */
export const storeFaults: FaultCodec = {
  write(error): StoreFault {
    if (error instanceof GatewayError) return { type: 'gateway', failure: error.failure }
    if (error instanceof OperatorError)
      return { type: 'operator', code: error.code, happened: error.happened, advice: error.advice }
    if (error instanceof EpochEndedError) return { type: 'epoch-ended', intents: error.intents }
    return { type: 'other', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  },
  // The other process has the same version, so its faults need no validation.
  read(fault: StoreFault) {
    switch (fault.type) {
      case 'gateway':
        return toGatewayError(fault.failure)
      case 'operator':
        return new OperatorError(fault.code, fault.happened, { advice: fault.advice })
      case 'epoch-ended':
        return new EpochEndedError(fault.intents)
      case 'other':
        return new InvariantError(`the process that owns the files: ${fault.message}`)
    }
  },
}

export function ownerUnavailable(reason: string): GatewayError {
  return new GatewayError('store_unavailable', { logCause: reason })
}
