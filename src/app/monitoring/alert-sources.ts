// The state that alerts check periodically: channels, keys, certificates, prices and budgets of this process.
import type { KeyRegistry } from '../../access/key-registry.ts'
import type { ConfigState } from '../../admin/config/live-config.ts'
import type { Alert } from '../../alerts/alert.ts'
import { type BudgetReading, budgetIdentity } from '../../alerts/conditions/budget-condition.ts'
import type { Expiring } from '../../alerts/conditions/expiry-conditions.ts'
import { healthIdentity } from '../../alerts/conditions/health-condition.ts'
import { findDownReason } from '../../alerts/find-down-reason.ts'
import type { AlertSources } from '../../alerts/judge-state.ts'
import { findUnpriced } from '../../catalog/prices/find-unpriced.ts'
import { createCertificateReader } from '../../config/list-certificates.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { needsOperator } from '../../routing/health/assess-health-impact.ts'
import type { DiskGuard } from '../../telemetry/disk-guard.ts'
import { listBudgets } from '../money-routes.ts'
import type { Metering } from '../open-metering.ts'
import type { RequestPipeline } from '../open-pipeline.ts'

export interface AlertSourceOptions {
  readonly registry: KeyRegistry
  readonly state: () => ConfigState
  readonly pipeline: Pick<RequestPipeline, 'catalog' | 'health'>
  readonly metering: Pick<Metering, 'meter'>
  readonly disk: Pick<DiskGuard, 'reading'>
  readonly clock: Clock
}

export function createAlertSources(options: AlertSourceOptions): AlertSources {
  const { registry, state, pipeline, disk, clock } = options
  const readCertificates = createCertificateReader()
  const report = () => pipeline.health.report(clock.monotonicMs())
  return {
    channels() {
      const lines = Map.groupBy(report(), ({ channel }) => channel)
      return pipeline.catalog.current().channels.map((channel) => ({
        channel: channel.name,
        downReason: findDownReason(lines.get(channel.name) ?? [], channel.credentials.length),
      }))
    },
    inRotation: () =>
      new Set(
        report()
          .filter(({ state: health }) => health === 'healthy' || health === 'degraded')
          .map(healthIdentity),
      ),
    outOfRotation: () =>
      report().flatMap(({ state: health, reason, operations, ...line }) =>
        health !== 'open' || reason === undefined
          ? []
          : [
              {
                ...line,
                to: 'open' as const,
                reason,
                operations,
                needsOperator: needsOperator(reason),
              },
            ],
      ),
    keys: () =>
      registry.keys().flatMap(({ id, name, expiresAtMs, revokedAtMs, disabled }): Expiring[] => {
        if (expiresAtMs === undefined || revokedAtMs !== undefined || disabled) return []
        return [{ id, name, expiresAtMs }]
      }),
    certificates: () => readCertificates(state().config),
    unpriced: () =>
      findUnpriced(pipeline.catalog.current()).map(({ model, targets }) => ({
        model,
        targets: targets.map(({ channel, upstreamModel }) => ({ channel: channel.name, upstreamModel })),
      })),
    disk: () => disk.reading,
    budgetOf: (alert) => readBudget(alert, options),
  }
}

function readBudget(alert: Alert, options: AlertSourceOptions): BudgetReading | 'gone' {
  const { registry, state, metering, clock } = options
  const value = alert.details['value']
  const tagValue = typeof value === 'string' ? value : undefined
  const budget = listBudgets(registry, state().config).find(
    (each) => budgetIdentity(each, tagValue) === alert.identity,
  )
  if (budget === undefined) return 'gone'
  const applied = { budget, ...(tagValue !== undefined && { tagValue }) }
  const { limit, spent, windowStartMs, resetsAtMs } = metering.meter.status(applied, clock.nowMs())
  return { budget, tagValue, limit, spent, windowStartMs, resetsAtMs }
}
