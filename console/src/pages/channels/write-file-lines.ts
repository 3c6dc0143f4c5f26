import type { ChannelView } from '../../../../src/admin/config/config-contract.ts'
import type { ProviderView } from '../../../../src/admin/models/provider-contract.ts'

/** The first character of a masked secret, of which the last ones follow. */
const MASK = '…'

/** A channel as it stands in the file, with a variable in place of each secret, which is known by its end alone. */
export function writeFileLines(
  { owner: _owner, disabled, ...lines }: ChannelView,
  provider: Pick<ProviderView, 'key_variable'> | undefined,
): unknown {
  const variable = provider?.key_variable ?? `${lines.name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_KEY`
  const channel = { ...lines, ...(disabled && { disabled }) }
  return { channels: [replaceMasked(channel, variable)] }
}

function replaceMasked(value: unknown, variable: string): unknown {
  if (typeof value === 'string') return value.startsWith(MASK) ? `\${${variable}}` : value
  if (Array.isArray(value)) return value.map((each) => replaceMasked(each, variable))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaceMasked(each, variable)]),
  )
}
