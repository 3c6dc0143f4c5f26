// Loads another configuration file while the process runs.
import type { ConfigState } from '../admin/config/live-config.ts'
import type { Config } from '../config/config.ts'
import { describeReload } from '../config/layers/describe-changes.ts'
import { findRestartRequired } from '../config/layers/find-restart-required.ts'
import { systemClock } from '../kit/time/clock.ts'
import type { OpenConfiguration } from './open-configuration.ts'
import type { OpenKeys } from './open-data-folder.ts'

export interface Reload {
  /**
   * Applies another configuration to all later requests. Requests in flight finish under the previous one. Resolves
   * with the settings that need a restart. Rejects if the configuration cannot be used; then no part of it takes
   * effect. Must not be called again before it has settled.
   */
  reload(config: Config): Promise<Reloaded>
  /** Records in the audit log why another configuration was refused. */
  auditRefusedReload(reasons: readonly string[]): Promise<void>
}

export interface Reloaded {
  /** Settings that need a restart before their change takes effect. */
  readonly later: readonly string[]
  readonly state: ConfigState
}

interface ReloadStores extends Pick<OpenConfiguration, 'liveConfig'> {
  readonly keys: Pick<OpenKeys, 'audit' | 'replaceBootstrap'>
}

const bySignal = { author: 'signal SIGHUP', credential: '', address: 'this machine' } as const
const MAX_REASONS = 50

export function createReload(file: Config, { liveConfig, keys }: ReloadStores): Reload {
  const { config } = liveConfig.state()

  function auditReload(action: 'config.reload' | 'config.reload_refused', details: readonly string[]) {
    const { source } = file
    const subject = source.type === 'file' ? source.path : 'environment'
    return keys.audit.append({ ...bySignal, action, subject, details, atMs: systemClock.nowMs() })
  }

  return {
    async reload(next) {
      const details = describeReload(liveConfig.state().file, next)
      const state = await liveConfig.reload(next, async () => {
        const install = await keys.replaceBootstrap(next.keys)
        await auditReload('config.reload', details)
        return install
      })
      return { later: findRestartRequired(config, state.config), state }
    },
    auditRefusedReload: (reasons) => auditReload('config.reload_refused', reasons.slice(0, MAX_REASONS)),
  }
}
