import { OperatorError } from '../canonical/operator-error.ts'
import { errorCodeOf } from '../kit/errors/error-code.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'

/** The setting with the address of a listener. */
export type ListenSetting = 'listen' | 'admin.listen'

const remedies = {
  listen: { inUse: '--listen 127.0.0.1:PORT', notPermitted: '--listen' },
  'admin.listen': {
    inUse: 'admin.listen in the configuration',
    notPermitted: 'admin.listen in the configuration',
  },
} as const

/** The error of a listener that could not be opened. It names the reason, and the setting for another address. */
export function listenError(setting: ListenSetting, port: number, cause: unknown): OperatorError {
  if (cause instanceof OperatorError) return cause
  const { inUse, notPermitted } = remedies[setting]
  switch (errorCodeOf(cause)) {
    case 'EADDRINUSE':
      return refuse(`port ${port} is in use by another program`, `choose another with ${inUse}`, cause)
    case 'EACCES': {
      const advice = `choose one above 1023 with ${notPermitted}`
      return refuse(`port ${port} may not be opened by this user`, advice, cause)
    }
    default:
      return refuse(`${setting}: cannot listen: ${reasonOf(cause)}`, `choose another with ${inUse}`, cause)
  }
}

function refuse(happened: string, advice: string, cause: unknown): OperatorError {
  return new OperatorError('address_unavailable', happened, { advice, cause })
}
