import {
  describeHealth,
  describeTarget,
  type ObservedHealthChange,
} from '../../telemetry/observed-health-change.ts'
import type { AlertKind, Condition } from '../alert.ts'

interface ReasonTerms {
  readonly kind: Extract<AlertKind, 'credential' | 'model' | 'channel-down'>
  readonly level: number
  readonly advice: string
}

/** The reasons that last until an operator acts. */
const reasons: Readonly<Record<string, ReasonTerms>> = {
  refused: {
    kind: 'credential',
    level: 1,
    advice: 'The provider refuses the key: configure a valid one, or have it enabled at the provider',
  },
  'out-of-credit': {
    kind: 'credential',
    level: 2,
    advice: 'The account is out of credit: add some at the provider',
  },
  'model-missing': {
    kind: 'model',
    level: 3,
    advice:
      'The provider has no such model for this key, or not for what callers asked of it: correct its name in the configuration, or have it enabled at the provider',
  },
  insecure: {
    kind: 'channel-down',
    level: 4,
    advice: "The upstream's certificate cannot be trusted: check base_url and proxy, or set ca_file",
  },
}

type HealthTarget = Pick<ObservedHealthChange, 'channel' | 'scope' | 'credentialId' | 'upstreamModel'>

const IDENTITY_PREFIX = 'health:'

export function isHealthIdentity(identity: string): boolean {
  return identity.startsWith(IDENTITY_PREFIX)
}

export function healthIdentity({ channel, scope, credentialId, upstreamModel }: HealthTarget): string {
  return `${IDENTITY_PREFIX}${JSON.stringify([channel, scope, credentialId ?? null, upstreamModel ?? null])}`
}

/** The kind of alert that a reason opens. Undefined for a reason that passes without an operator. */
export function kindOfReason(reason: string): ReasonTerms['kind'] | undefined {
  return reasons[reason]?.kind
}

/** The condition that something is out of rotation until an operator acts. Undefined if it recovers by itself. */
export function healthCondition(change: ObservedHealthChange, rule: string): Condition | undefined {
  const terms = reasons[change.reason]
  if (terms === undefined) return undefined
  const { channel, scope, credentialId, upstreamModel, reason, operations } = change
  return {
    identity: healthIdentity(change),
    kind: terms.kind,
    rule,
    severity: 'critical',
    level: terms.level,
    subject: {
      channel,
      ...(credentialId !== undefined && { credential: credentialId }),
      ...(upstreamModel !== undefined && { model: upstreamModel }),
    },
    message: describeHealth(change),
    advice: `${terms.advice}. "headgate health --reset ${channel}" then puts it back into rotation at once.`,
    details: {
      channel,
      scope,
      credential: credentialId ?? null,
      upstream_model: upstreamModel ?? null,
      reason,
      operations: operations ?? null,
    },
  }
}

/** The line that says why the condition of `healthCondition` ended. */
export function describeHealthEnd(
  target: HealthTarget & { readonly reason: string },
  end: 'recovered' | 'reset' | 'changed',
): string {
  const name = describeTarget(target)
  switch (end) {
    case 'recovered':
      return `${name}: back in rotation (was ${target.reason})`
    case 'reset':
      return `${name}: reset by an operator (was ${target.reason})`
    case 'changed':
      return `${name}: changed or removed in the configuration (was ${target.reason})`
  }
}
