import { ONLY_WEBHOOK_NAME } from '../../alerts/alert-schema.ts'
import type { Channel } from '../../catalog/channel.ts'
import { findModelProblems } from '../../catalog/find-model-problems.ts'
import type { ModelEntry } from '../../catalog/model-entry.ts'
import type { ProviderRegistry } from '../../providers/provider.ts'
import type { ConfigInput } from '../config-schema.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import type { PathProblem } from '../source/substitute-variables.ts'
import { isPrivateUrl } from './check-base-url.ts'
import { checkChannel } from './check-channel.ts'
import { checkLimits } from './check-limits.ts'
import { checkProxyAddress } from './check-proxy-address.ts'
import { findRepeated } from './find-repeated.ts'

/** Finds the problems of the file as a whole. Its sections are valid by themselves. */
export function checkDocument(input: ConfigInput, registry: ProviderRegistry): readonly PathProblem[] {
  return [
    ...findRepeated(
      input.keys?.map(({ name }) => name),
      ['keys'],
      'name',
    ),
    ...findRepeated(
      input.keys?.map(({ secret }) => secret),
      ['keys'],
      'secret',
    ),
    ...findRepeated(
      input.channels?.map(({ name }) => name),
      ['channels'],
      'name',
    ),
    ...(input.channels ?? []).flatMap((channel, index) =>
      checkChannel(channel, registry).map((problem) => moveBelow(problem, ['channels', index])),
    ),
    ...checkAlerts(input.alerts),
    ...checkSignIn(input.sign_in),
    ...checkLimits(input),
  ]
}

function moveBelow({ path, message, fact, dependsOn = [] }: PathProblem, above: ConfigPath): PathProblem {
  return { path: [...above, ...path], message, fact, dependsOn: dependsOn.map((each) => [...above, ...each]) }
}

function checkSignIn(signIn: ConfigInput['sign_in']): readonly PathProblem[] {
  if (signIn?.oidc === undefined) return []
  const { issuer, allowPrivate, proxy } = signIn.oidc
  const problems: PathProblem[] = []
  const url = new URL(issuer)
  if (!allowPrivate && (url.protocol === 'http:' || isPrivateUrl(url))) {
    const fact = { code: 'private_address', values: {} } as const
    const message =
      'is plain http, this machine or a private network; say "allow_private: true" beside it if it is meant to be'
    problems.push({ path: ['sign_in', 'oidc', 'issuer'], message, fact })
  }
  const fault = proxy === undefined ? undefined : checkProxyAddress(proxy)
  if (fault !== undefined) problems.push({ path: ['sign_in', 'oidc', 'proxy'], message: fault })
  return problems
}

function checkAlerts(alerts: ConfigInput['alerts']): readonly PathProblem[] {
  if (alerts === undefined) return []
  const message =
    'leads to this machine or a private network; say "allow_private: true" beside it if it is meant to'
  const hasOnlyWebhook = alerts.receivers[0]?.name === ONLY_WEBHOOK_NAME
  return alerts.receivers.flatMap(({ name, url, allowPrivate }, index): PathProblem[] => {
    if (allowPrivate || !isPrivateUrl(new URL(url))) return []
    const path =
      name === ONLY_WEBHOOK_NAME && index === 0
        ? ['alerts', 'webhook']
        : ['alerts', 'receivers', hasOnlyWebhook ? index - 1 : index, 'url']
    return [{ path, message, fact: { code: 'private_address', values: {} } }]
  })
}

/** Finds the problems between the models and the channels that serve them. */
export function checkModels(
  channels: readonly Channel[],
  entries: readonly ModelEntry[],
): readonly PathProblem[] {
  return findModelProblems(channels, entries).map(({ path, message, fact }) => ({
    path: ['models', ...path],
    message,
    fact,
  }))
}
