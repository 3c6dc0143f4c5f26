import { expect, test } from 'vitest'
import { configErrorOf } from '../../../test/support/parse-yaml-config.ts'

const broken: readonly (readonly [behaviour: string, yaml: string, error: string])[] = [
  [
    'an unknown name is told with the nearest known one',
    `
lisen: 127.0.0.1:8080`,
    'headgate.yaml:2:1: lisen: is not a known name; did you mean "listen"?',
  ],
  [
    'an unknown name with no near one is told with all that are known',
    `
heartbeat: { interval: 10s }`,
    'headgate.yaml:2:14: heartbeat.interval: is not a known name; known here: after, every',
  ],
  [
    'an empty list of models, and a number of workers out of range',
    `
channels: [{ name: a, provider: openai, api_key: k, models: [] }]
workers: 65`,
    `headgate.yaml:2:61: channels[0].models: must name a model, or be "*" for all that the upstream lists
headgate.yaml:3:10: workers: must be "auto", a number from 1 to 64, or off`,
  ],
  [
    'the proxy of a channel without a scheme, and another error beside it',
    `
channels: [{ name: a, provider: openai, api_key: k, models: [m], proxy: proxy }]
models: { n: { targets: [a/x] } }`,
    `headgate.yaml:2:73: channels[0].proxy: must be the address of a proxy, such as "http://proxy:3128"
headgate.yaml:3:26: models.n.targets[0]: the channel "a" has no model "x"; did you mean "m"?`,
  ],
  [
    'values of another type, in each place with what to write',
    `
channels:
  - { name: a, provider: openai, api_keys: [], allow_fields: [1], prices: { m: 5 }, passthrough: [{ path: /x, price: -1 }] }
keys: [{ name: k, secret: aaaaaaaaaaaaaaaa, models: [1] }]
retry: 3
sign_in: { second_factor: [root], oidc: { issuer: "https://id.example.com", client_id: c, client_secret: s, scopes: [1] } }`,
    `headgate.yaml:3:44: channels[0].api_keys: must have a key
headgate.yaml:3:63: channels[0].allow_fields[0]: must be the name of a field, such as logit_bias
headgate.yaml:3:80: channels[0].prices.m: must have what a million tokens cost in US dollars, such as { input: 2.5, output: 10 }
headgate.yaml:3:118: channels[0].passthrough[0].price: must be US dollars for each call, such as 0.02, or the word usage
headgate.yaml:4:54: keys[0].models[0]: must be a public name
headgate.yaml:5:8: retry: must be a map of names to values; known here: attempts, same_target, max_retry_after, deadline
headgate.yaml:6:28: sign_in.second_factor[0]: must be one of owner, admin, viewer, member
headgate.yaml:6:118: sign_in.oidc.scopes[0]: must be a scope, such as "email": printable characters without spaces`,
  ],
  [
    'every error is listed, in the order of the file',
    `
channels:
  - name: a/b
    provider: openai
    basurl: https://api.example.com
  - name: ok
retry: { attempts: 0, deadline: forever }`,
    `headgate.yaml:3:5: channels[0].api_key: is missing; the provider openai needs one, such as "\${OPENAI_API_KEY}"
headgate.yaml:3:11: channels[0].name: must be 1 to 64 letters, digits or ". _ : -", with no slash, and begin with a letter or a digit
headgate.yaml:5:5: channels[0].basurl: is not a known name; did you mean "base_url"?
headgate.yaml:6:5: channels[1].provider: is missing
headgate.yaml:7:20: retry.attempts: must be a whole number from 1 to 20
headgate.yaml:7:33: retry.deadline: must be a duration with its unit, such as "500ms", "10s", "5m" or "1h"`,
  ],
  [
    'a mistyped provider',
    `
channels:
  - name: primary
    provider: opnai`,
    'headgate.yaml:4:15: channels[0].provider: "opnai" is not a known provider; did you mean "openai"?',
  ],
  [
    'a provider that needs a key and has none',
    `
channels:
  - name: primary
    provider: openai`,
    `headgate.yaml:3:5: channels[0].api_key: is missing; the provider openai needs one, such as "\${OPENAI_API_KEY}"`,
  ],
  [
    'a provider that needs an address and has none',
    `
channels:
  - { name: gpu, provider: vllm }`,
    'headgate.yaml:3:5: channels[0].base_url: is missing; the provider vllm has no address of its own',
  ],
  [
    'an address for what Headgate serves itself',
    `
channels:
  - { name: d, provider: demo, base_url: https://example.com }`,
    'headgate.yaml:3:42: channels[0].base_url: leave it out; demo is served by Headgate itself',
  ],
  [
    'a variable that is not set',
    `
channels:
  - name: primary
    provider: openai
    api_key: \${OPENAI_KEY}`,
    `headgate.yaml:5:14: channels[0].api_key: the environment variable OPENAI_KEY is not set; set it, or give a default with \${OPENAI_KEY:-default}`,
  ],
  [
    'a variable that is not closed',
    `
data: "./\${DATA"`,
    `headgate.yaml:2:7: data: a variable is written \${NAME} or \${NAME:-default}, a file \${file:PATH}; for a plain "\${" write "$\${"`,
  ],
  [
    'a key and a list of keys',
    `
channels:
  - name: primary
    provider: openai
    api_key: sk-1
    api_keys: [sk-2]`,
    'headgate.yaml:6:15: channels[0].api_keys: stands beside api_key; put every key into api_keys',
  ],
  [
    'the same key twice in one channel, without showing it',
    `
channels:
  - name: primary
    provider: openai
    api_keys: [sk-1, sk-2, sk-1]`,
    'headgate.yaml:5:28: channels[0].api_keys[2]: is the same key as one before it; leave it out',
  ],
  [
    'two channels of one name',
    `
channels:
  - { name: d, provider: demo }
  - { name: d, provider: demo }`,
    'headgate.yaml:4:13: channels[1].name: is the same as that of channels[0]; each needs its own',
  ],
  [
    'two keys of one secret, without showing it',
    `
keys:
  - { name: one, secret: aaaaaaaaaaaaaaaa }
  - { name: two, secret: aaaaaaaaaaaaaaaa }`,
    'headgate.yaml:4:26: keys[1].secret: is the same as that of keys[0]; each needs its own',
  ],
  [
    'a secret that is too short, or a number',
    `
keys:
  - name: ci
    secret: short
  - name: nightly
    secret: 12345678901234567890`,
    `headgate.yaml:4:13: keys[0].secret: must be a text of 16 to 512 printable characters without a space at either end
headgate.yaml:6:13: keys[1].secret: must be a text of 16 to 512 printable characters without a space at either end; put it in quotes`,
  ],
  [
    'an expiry without an hour, and addresses that are none',
    `
keys:
  - name: ci
    secret: aaaaaaaaaaaaaaaa
    expires_at: 2027-13-45
    allow_ips: [10.0.0.0/8, 10.0.0.0/33, "2001:db8::/129", host]`,
    `headgate.yaml:5:17: keys[0].expires_at: must be a time such as 2027-01-01 or 2027-01-01T00:00:00Z
headgate.yaml:6:29: keys[0].allow_ips[1]: must be an address or a range, such as "10.0.0.0/8" or "2001:db8::/32"
headgate.yaml:6:42: keys[0].allow_ips[2]: must be an address or a range, such as "10.0.0.0/8" or "2001:db8::/32"
headgate.yaml:6:60: keys[0].allow_ips[3]: must be an address or a range, such as "10.0.0.0/8" or "2001:db8::/32"`,
  ],
  [
    'limits, prices and orders that are none',
    `
queue: { size: 0 }
channels:
  - { name: d, provider: demo, concurrency: 0, breaker: { failures: 0 } }
models:
  demo-chat: { price: { input: -1, output: free }, strategy: fastest, context_window: 0 }`,
    `headgate.yaml:2:16: queue.size: must be a whole number of requests from 1 to 100000
headgate.yaml:4:45: channels[0].concurrency: must be above 0
headgate.yaml:4:69: channels[0].breaker.failures: must be a whole number of failures from 1 to 1000
headgate.yaml:6:32: models.demo-chat.price.input: must be US dollars for a million tokens, such as 2.5
headgate.yaml:6:44: models.demo-chat.price.output: must be US dollars for a million tokens, such as 2.5
headgate.yaml:6:62: models.demo-chat.strategy: must be one of priority-weighted, least-latency, least-busy, cheapest
headgate.yaml:6:87: models.demo-chat.context_window: must be above 0`,
  ],
  [
    'a proxy that is none, and one where nothing is reached',
    `
channels:
  - { name: a, provider: openai, api_key: k, proxy: 'socks5://user:password@proxy' }
  - { name: d, provider: demo, proxy: 'http://proxy:3128', ca_file: ca.crt }`,
    `headgate.yaml:3:53: channels[0].proxy: must begin with http:// or https://; other kinds of proxy are not spoken
headgate.yaml:4:39: channels[1].proxy: leave it out; demo is served by Headgate itself
headgate.yaml:4:69: channels[1].ca_file: leave it out; demo is served by Headgate itself`,
  ],
  [
    'a format that the provider does not speak',
    `
channels:
  - { name: a, provider: openai, api_key: k, format: messages }
  - { name: b, provider: openai, api_key: k, format: completions }
  - { name: c, provider: openai, api_key: k, format: caht }`,
    `headgate.yaml:3:54: channels[0].format: cannot be "messages"; the provider openai speaks chat and responses
headgate.yaml:4:54: channels[1].format: the format "completions" is not available in this version; the provider openai speaks chat and responses
headgate.yaml:5:54: channels[2].format: "caht" is not a known format; the provider openai speaks chat and responses`,
  ],
  [
    'headers that are not the operator’s to set, and fields that are not refused anyway',
    `
channels:
  - name: a
    provider: openai-compatible
    base_url: https://api.example.com/v1
    headers: { Host: x, proxy-authorization: y }
    allow_fields: [models, tools]`,
    `headgate.yaml:6:22: channels[0].headers.Host: is set by Headgate itself; leave it out
headgate.yaml:6:46: channels[0].headers.proxy-authorization: is set by Headgate itself; leave it out
headgate.yaml:7:28: channels[0].allow_fields[1]: "tools" is not one of the fields that openai-compatible channels refuse; those are models, route, provider, providers, preset, plugins, transforms, fallbacks, context_window_fallbacks, content_policy_fallbacks, user_config, model_list, router_settings_override, custom_llm_provider, api_base, base_url, api_key, api_version, extra_body, extra_headers, provideroptions`,
  ],
  [
    'models that are neither list, map nor star',
    `
channels:
  - { name: a, provider: openai, api_key: k, models: 3 }
  - { name: b, provider: openai, api_key: k, models: { x: 3 } }`,
    `headgate.yaml:3:54: channels[0].models: must be "*" (all that the upstream lists), a list of names, or a map of public names to upstream names
headgate.yaml:4:59: channels[1].models.x: must be the name of a model: 1 to 256 printable characters`,
  ],
  [
    'a list of models that the provider does not have',
    `
channels:
  - { name: d, provider: demo, models: "*" }`,
    'headgate.yaml:3:40: channels[0].models: must name the models; the provider demo has no list of them',
  ],
  [
    'targets and fallbacks that lead nowhere',
    `
channels:
  - { name: primary, provider: openai, api_key: k, models: [gpt-4o] }
models:
  fast: { targets: [primary/gpt-4, backup/x, primary/gpt-4o, primary/gpt-4o], fallback: [gpt-4O, slow] }
  gpt-4: { reasoning: none }`,
    `headgate.yaml:5:21: models.fast.targets[0]: the channel "primary" has no model "gpt-4"; did you mean "gpt-4o"?
headgate.yaml:5:36: models.fast.targets[1]: there is no channel "backup"; a target is written channel/model
headgate.yaml:5:62: models.fast.targets[3]: "primary/gpt-4o" is named twice; leave one out
headgate.yaml:5:90: models.fast.fallback[0]: there is no model "gpt-4O"; did you mean "gpt-4o"?
headgate.yaml:5:98: models.fast.fallback[1]: there is no model "slow"; a fallback is a public name
headgate.yaml:6:10: models.gpt-4: no channel serves "gpt-4"; did you mean "gpt-4o"?`,
  ],
  [
    'a target without a slash',
    `
models:
  fast: { targets: [primary] }`,
    'headgate.yaml:3:21: models.fast.targets[0]: must be a channel and a model with a slash between, such as "primary/gpt-4o"',
  ],
  [
    'fallbacks that go in a circle, told once',
    `
channels:
  - { name: d, provider: demo, models: [m] }
models:
  a: { targets: [d/m], fallback: [b] }
  b: { targets: [d/m], fallback: [c] }
  c: { targets: [d/m], fallback: [m, a] }
  self: { targets: [d/m], fallback: [self] }`,
    `headgate.yaml:5:35: models.a.fallback[0]: fallbacks go in a circle: a → b → c → a; break it
headgate.yaml:8:38: models.self.fallback[0]: fallbacks go in a circle: self → self; break it`,
  ],
  [
    'a map where a list is due, and nothing where something is due',
    `
channels: { name: a }
keys:
  -
limits:`,
    `headgate.yaml:2:11: channels: must be a list of channels
headgate.yaml:4:4: keys[0]: must be a map of names to values; known here: name, secret, group, expires_at, disabled, models, user, allow_ips, dry_run, budgets, rate, tags, caller_tags, end_user_budget, passthrough
headgate.yaml:5:8: limits: must be a map of names to values; known here: body, held_bodies, held_bodies_per_key, held_answers, upload, upload_memory, held_uploads, held_uploads_per_key, connections, connections_per_address`,
  ],
  [
    'a name that readers of JSON keep for themselves, wherever it stands',
    `
keys: [{ name: __proto__, secret: aaaaaaaaaaaaaaaa }]
channels:
  - { name: d, provider: demo, models: { __proto__: m }, headers: { __proto__: h } }
models: { __proto__: { targets: 1 } }`,
    `headgate.yaml:2:16: keys[0].name: cannot be "__proto__", a name that readers of JSON keep for themselves; choose another
headgate.yaml:4:42: channels[0].models.__proto__: cannot be "__proto__", a name that readers of JSON keep for themselves; choose another
headgate.yaml:4:69: channels[0].headers.__proto__: cannot be "__proto__", a name that readers of JSON keep for themselves; choose another
headgate.yaml:5:11: models.__proto__: cannot be "__proto__", a name that readers of JSON keep for themselves; choose another`,
  ],
  [
    'a name given twice',
    `
listen: 127.0.0.1:1
listen: 127.0.0.1:2`,
    'headgate.yaml:3:1: not valid YAML: this name is given twice; leave one out',
  ],
  [
    'an alias that leads to itself',
    '&a [*a]',
    'headgate.yaml:1:5: not valid YAML: this alias (*) stands for what it is itself a part of',
  ],
]

test.each(broken)('an invalid configuration is refused: %s', (_behaviour, yaml, error) => {
  expect(configErrorOf(yaml)).toBe(error)
})
