import { useQuery } from '@tanstack/react-query'
import { gatewayAddress } from '../browser/addresses.ts'
import { usePermissions } from '../shell/use-me.ts'
import { MINUTE_MS } from '../time/time-units.ts'
import { settingsQuery } from './settings-query.ts'

/** The address at which callers reach the gateway, as far as the signed-in user may know it. */
export function useCallerAddress(): string {
  const { seesAll } = usePermissions()
  const settings = useQuery({ ...settingsQuery, enabled: seesAll, staleTime: MINUTE_MS })
  if (settings.data === undefined) return gatewayAddress
  const { public_url: publicUrl, sections } = settings.data
  const settingOf = (section: string) => sections.find(({ name }) => name === section)?.value
  return (publicUrl ?? readListen(settingOf)).replace(/\/$/, '')
}

/**
 * This page came from the listener of callers where operators share it. A listener on every interface is reached by
 * the name that this page was opened with.
 */
function readListen(settingOf: (section: string) => unknown): string {
  const [listen, tls, admin] = [settingOf('listen'), settingOf('tls'), settingOf('admin')]
  if (typeof admin === 'object' && admin !== null && 'listen' in admin && admin.listen === listen)
    return gatewayAddress
  const [, host = '', port] = (typeof listen === 'string' && /^(.*):(\d+)$/.exec(listen)) || []
  // The port that the system chose is not written there.
  if (port === undefined || port === '0') return gatewayAddress
  const isEverywhere = host === '' || host === '0.0.0.0' || host === '[::]'
  const name = isEverywhere ? new URL(gatewayAddress).hostname : host
  return `${tls === true ? 'https' : 'http'}://${name}:${port}`
}
