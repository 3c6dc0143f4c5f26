import { gatewayAddress } from '../browser/addresses.ts'
import { useMe } from '../shell/use-me.ts'

/**
 * The address at which callers reach the gateway. A listener on every interface is reached by the host name of this
 * page. If nothing is known, callers use this page's own address, like operators.
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
