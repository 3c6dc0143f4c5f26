import { gatewayAddress } from '../browser/addresses.ts'
import { useMe } from '../shell/use-me.ts'

/**
 * The address at which callers reach the gateway. A listener on every interface is reached by the name that this page
 * was opened with; where nothing is known, callers and operators share this page's own address.
 */
export function useCallerAddress(): string {
  const { callers } = useMe()
  switch (callers.type) {
    case 'url':
      return callers.url.replace(/\/$/, '')
    case 'port':
      return `${callers.tls ? 'https' : 'http'}://${new URL(gatewayAddress).hostname}:${callers.port}`
    case 'same-as-this':
      return gatewayAddress
  }
}
