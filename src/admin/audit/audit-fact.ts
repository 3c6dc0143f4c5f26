import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { AuditFact, AuditFactKind } from './audit-contract.ts'

type Pattern = readonly [kind: AuditFactKind, sentence: RegExp]

const OBJECT = '(?<object>channel|model|group|limits of user|budget) "(?<name>.*?)"'
/** A cut value, or JSON without spaces outside its strings: up to the first ` to ` between the two values. */
const BEFORE = '(?:nothing|(?<before>.{120}…|(?:"(?:[^"\\\\]|\\\\.)*"|[^"\\s])+))'
const CHANGE = `(?<field>\\w+) changed from ${BEFORE} to (?:nothing|(?<after>.*))`
const AT = '(?<at>\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z)'
const USD = '(?<usd>-?[\\d.]+) US dollars'

/** The sentences that the gateway writes, the more special one before the more general. A group names a value. */
const patterns: readonly Pattern[] = [
  ['every_model', /^models: every model$/],
  ['dry_runs', /^dry runs: allowed$/],
  ['caller_tags', /^callers' tags: allowed$/],
  ['no_groups', /^groups: none$/],
  ['disabled', /^disabled$/],
  ['enabled', /^enabled$/],
  ['expires_at', new RegExp(`^expires: ${AT}$`)],
  ['until', new RegExp(`^until: ${AT}$`)],
  ['secret_ended', /^the secret (?<hint>.*)… ends at once$/],
  ['secret_ends', new RegExp(`^the secret (?<hint>.*)… ends at ${AT}$`)],
  ['credit', new RegExp(`^${USD}$`)],
  ['codes_made', new RegExp(`^(?<count>\\d+) of ${USD} each$`)],
  ['raised', new RegExp(`^by: ${USD} for good$`)],
  ['raised_until', new RegExp(`^by: ${USD} until ${AT}$`)],
  ['spent_until_reset', new RegExp(`^spent until then: ${USD}$`)],
  ['object_added', new RegExp(`^${OBJECT} added$`)],
  ['object_removed', new RegExp(`^${OBJECT} removed$`)],
  ['object_changed', new RegExp(`^${OBJECT}: ${CHANGE}$`)],
  ['setting_added', /^setting (?<name>\w+) added$/],
  ['setting_removed', /^setting (?<name>\w+) removed$/],
  ['setting_changed', new RegExp(`^setting (?<name>\\w+): ${CHANGE}$`)],
  ['equal_to_version', /^equal to version (?<version>\d+)$/],
  ['keys_changed', /^keys changed$/],
  ['setting_edited', /^setting (?<name>\w+) changed$/],
  ['certificate_changed', /^the certificate or its key changed$/],
  ['undone_version', /^comment: undoes version (?<version>\d+)$/],
  ['nothing_changed', /^nothing changed$/],
  ['provider_answered', /^it answered "(?<error>.*)"$/],
  ['provider_status', /^it answered with status (?<status>\d+)$/],
  // The words of the network library and of the OpenID Connect library, as src/oidc passes them on.
  ['provider_no_answer', /^(?<error>[A-Z][A-Z\d_]{3,}): .+$/],
  ['provider_private', /^\S+ (?:is not a|resolves to no) public address$/],
  [
    'provider_late',
    /^(?:operation timed out|The operation was aborted due to timeout|the TLS handshake was not over in \d+ ms)$/,
  ],
  ['provider_proxy', /^the proxy (?:opened no tunnel|answered)/],
  [
    'provider_issuer',
    /^(?:discovered metadata issuer|"response" body "issuer"|unexpected "iss" \(issuer\) response)/,
  ],
  ['provider_claim_missing', /^JWT "(?<claim>\w+)" .*claim missing$/],
  ['provider_claim', /^(?:unexpected|invalid) (?:JWT|ID Token) "(?<claim>\w+)" .*claim/],
  ['provider_claim', /^ID Token "(?<claim>aud)" .*claim includes/],
  ['provider_old_sign_in', /^too much time has elapsed since the last End-User authentication$/],
  [
    'provider_signature',
    /^(?:JWT signature verification failed$|error when selecting a JWT verification key)/,
  ],
  [
    'provider_unreadable',
    /^(?:failed to parse|"response" |Invalid JWT|JWT (?:Header|Payload) must|parsing error|its answer is larger)/,
  ],
  ['alert_channel_down', /^channel (?<channel>.*) is down: nothing of it is in rotation \((?<reason>.*)\)$/],
  ['alert_out', /^channel (?<target>.*): out of rotation for \d+ s \((?<reason>.*)\)$/],
  [
    'alert_error_rate',
    /^(?<subject>all requests|(?:channel|model) .*): (?<share>[\d.]+) % of (?<count>\d+) (?:calls|requests) failed within (?<window>.*) \((?<failures>\d+)\); the rule allows (?<threshold>[\d.]+) %$/,
  ],
  ['alert_first_token', latency('the first token')],
  ['alert_whole_answer', latency('the whole answer')],
  ['alert_budget', /^the budget (?<budget>".*") has spent (?<percent>[\d.]+) % of its limit$/],
  ['alert_budget_spent', /^the budget (?<budget>".*") is spent$/],
  ['alert_key_expiry', new RegExp(`^the key "(?<name>.*)" expire[sd] at ${AT}`)],
  ['alert_certificate_expiry', new RegExp(`^the certificate of (?<name>.*) expire[sd] at ${AT}`)],
  ['alert_unpriced', /^the model (?<model>.*) is used without a price \((?<targets>.*)\): /],
  [
    'alert_disk',
    /^the disk (?:fills up|is nearly full): (?<free>\d+) of (?<total>\d+) MB are free where the data folder is;/,
  ],
  ['signed_out', /^signed out$/],
  ['factor_on', /^on$/],
  ['factor_off', /^off$/],
  ['no_role', /^the identity provider gives no role$/],
  ['without_secrets', /^databases, without secrets$/],
  ['delivered', /^delivered$/],
  ['for_time', /^for (?<time>\w+)$/],
  ['captured_key', /^of the key (?<name>.*)$/],
  ['captures_of_key', /^all (?<count>\d+) of the key$/],
  ['budget', /^budget (?<name>.*?): (?<value>\{.*\})$/],
  ['end_user_budget', /^budget of each end user: (?<value>.*)$/],
  ['tag', /^tag (?<name>[^:]*): (?<value>.*)$/],
  ...(
    ['name', 'models', 'model', 'group', 'groups', 'addresses', 'user', 'rate', 'passthrough'] as const
  ).map(term),
  ...(['role', 'type', 'identity', 'refused', 'session', 'for', 'of', 'to', 'scopes', 'reason'] as const).map(
    term,
  ),
  ...(['code', 'grant', 'secret', 'provider', 'comment', 'value'] as const).map(term),
  ['by_link', /^by link: (?<value>.*)$/],
  ['left_group', /^left group: (?<value>.*)$/],
  ['manager_of_group', /^manager of group: (?<value>.*)$/],
  ['member_of_group', /^member of group: (?<value>.*)$/],
]

function latency(part: string): RegExp {
  return new RegExp(
    `^(?<subject>all requests|(?:channel|model) .*): (?<percentile>[\\d.]+) % of (?<count>\\d+) answers have ${part} after up to (?<ms>\\d+) ms within (?<window>.*); the rule allows (?<threshold>[\\d.]+) ms$`,
  )
}

function term(label: AuditFactKind): Pattern {
  return [label, new RegExp(`^${label}: (?<value>.*)$`, 's')]
}

const GONE = 'no longer '

/**
 * Parses a detail of a record. Records are stored as sentences and never rewritten, so this reads the sentences of
 * every version. A sentence that no pattern matches stays text.
 */
export function readFact(detail: string): AuditFact {
  const gone = detail.startsWith(GONE)
  const sentence = gone ? detail.slice(GONE.length) : detail
  for (const [kind, pattern] of patterns) {
    const found = pattern.exec(sentence)
    if (found !== null) return { kind, gone, values: omitUndefined({ ...found.groups }) }
  }
  return { kind: 'text', gone: false, values: { text: detail } }
}
