import { gatewayAddress } from '../browser/addresses.ts'
import { useMe } from '../shell/use-me.ts'

/**
 * The address at which callers reach the gateway. A listener on every interface is reached by the name that this page
 * was opened with; where nothing is known, callers and operators share this page's own address.
 */
export function useCallerAddress(): string {
  const { url, port, tls } = useMe().callers
  if (url !== null) return url.replace(/\/$/, '')
  if (port === null) return gatewayAddress
  return `${tls ? 'https' : 'http'}://${new URL(gatewayAddress).hostname}:${port}`
}
