import { ApiError, isProxyStatus } from '../api/api-error.ts'
import { sendCall } from '../api/call-api.ts'

/**
 * Loads the code of a page. A failure while the gateway does not answer becomes its own error, since the router reloads
 * the whole tab on a missing file, which would leave the user with an error page of the browser.
 */
export function loadsPage<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    try {
      return await load()
    } catch (cause) {
      if (await isGatewayReachable()) throw cause
      throw new ApiError({ code: 'unreachable', status: 0, message: '' }, { cause })
    }
  }
}

/** Whether the gateway answers an operation that everybody may call. */
export async function isGatewayReachable(): Promise<boolean> {
  try {
    return !isProxyStatus((await sendCall({ path: '/sign-in' })).status)
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
