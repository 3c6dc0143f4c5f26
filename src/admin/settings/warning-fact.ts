import type { WarningFact, WarningFactKind } from './settings-contract.ts'

const OWNER = '(?<object>keys|groups|users|budgets): "(?<owner>.*)"'
const MODEL = '"(?<model>.*)"'

/** The sentences of the warnings. A group names a value. */
const patterns: readonly (readonly [kind: WarningFactKind, sentence: RegExp])[] = [
  ['no_channels', /^channels: there is none, /],
  ['admin_off', /^admin: the admin API and the metrics are off, /],
  ['unencrypted_listener', /^listen: keys travel unencrypted /],
  ['certificate_early', /^tls\.cert: the certificate counts only from (?<at>\S+) on$/],
  ['certificate_ended', /^tls\.cert: the certificate ended on (?<at>\S+)$/],
  ['unencrypted_channel', /^channels: "(?<channel>.*)" sends its key unencrypted; use https$/],
  ['split_weights', /^models: "(?<model>.*)" has weights, but its targets share only /],
  ['unserved_rate', /^models: "(?<model>.*)" has a rate limit, but no channel serves it$/],
  ['absent_scope', /^budgets: "(?<budget>.*)" stands on (?<scope>.*), which is not there$/],
  ['unpriced_refused', /^models: no price is known for (?<models>.*), so requests for them are refused; /],
  ['unpriced_uncounted', /^models: no price is known for (?<models>.*), so what they cost is not counted; /],
  ['unserved_model', new RegExp(`^${OWNER} is granted ${MODEL}, which no channel serves$`)],
  ['unmatched_pattern', new RegExp(`^${OWNER} is granted ${MODEL}, which no served model matches$`)],
  [
    'withheld_by_group',
    new RegExp(`^${OWNER} is granted ${MODEL}, which its group "(?<group>.*)" is not granted$`),
  ],
  [
    'unserved_fallback',
    new RegExp(`^${OWNER} falls back to ${MODEL} at its limit, which no channel serves$`),
  ],
  [
    'ungranted_fallback',
    new RegExp(`^${OWNER} falls back to ${MODEL} at its limit, which it is not granted$`),
  ],
  ['leads_to_itself', /^(?<address>\w+) leads to Headgate itself, so (?<key>\w+) makes no channel; /],
  [
    'unreadable_prices',
    /^(?<path>.*): is no price table that can be read \((?<reason>.*)\), so it is ignored; /s,
  ],
]

/** A warning of the configuration as data; one that no pattern knows stays a text. */
export function readWarning(warning: string): WarningFact {
  for (const [kind, pattern] of patterns) {
    const found = pattern.exec(warning)
    if (found !== null) return { kind, values: { ...found.groups } }
  }
  return { kind: 'text', values: { text: warning } }
}
