// The current parts for serving requests: the lasting parts, with the settings of the configuration in force.
import type { Authenticator } from '../access/authenticator.ts'
import type { Config } from '../config/config.ts'
import type { KeyUsage } from '../metering/key-usage.ts'
import { type CallerAccess, createClientAddressReader, listCallerModels } from '../pipeline/caller-access.ts'
import type { Gateway } from '../pipeline/gateway.ts'
import type { Spending } from '../pipeline/spending/spending.ts'

export type LastingGateway = Omit<
  Gateway,
  'media' | 'retry' | 'heartbeat' | 'recovery' | 'queue' | 'spending'
>

export interface LiveConfigurationOptions {
  readonly lasting: LastingGateway
  readonly queueFor: (policy: Config['queue']) => Gateway['queue']
  readonly spendingFor: (config: Config) => Spending
  readonly authenticator: Authenticator
  readonly keyUsage: Pick<KeyUsage, 'charged'>
}

/** The current parts that depend on the configuration. A new configuration replaces them for later requests. */
export class LiveConfiguration implements CallerAccess {
  gateway: Gateway
  findAddress: CallerAccess['findAddress']
  readonly authenticate: CallerAccess['authenticate']
  readonly authenticateId: CallerAccess['authenticateId']
  readonly listModels: CallerAccess['listModels']
  readonly readAccount: CallerAccess['readAccount']
  readonly readCapture: CallerAccess['readCapture']
  readonly readCharged: CallerAccess['readCharged']
  readonly #options: LiveConfigurationOptions

  constructor(config: Config, options: LiveConfigurationOptions) {
    const { authenticator, keyUsage, lasting } = options
    this.#options = options
    this.authenticate = authenticator.authenticate
    this.authenticateId = authenticator.authenticateId
    this.listModels = (caller) => listCallerModels(caller, lasting.catalog.current())
    this.readAccount = (caller) => this.gateway.spending.account(caller)
    this.readCapture = (caller) => lasting.captures.modeOf(caller)
    this.readCharged = ({ keyId }, span) => keyUsage.charged(keyId, span)
    this.gateway = this.#open(config)
    this.findAddress = createClientAddressReader(config.trustedProxies)
  }

  apply(config: Config): void {
    this.gateway = this.#open(config)
    this.findAddress = createClientAddressReader(config.trustedProxies)
  }

  #open(config: Config): Gateway {
    const { lasting, queueFor, spendingFor } = this.#options
    const { media, retry, heartbeat, recovery, queue } = config
    const changing = { media, retry, heartbeat, recovery }
    return { ...lasting, ...changing, queue: queueFor(queue), spending: spendingFor(config) }
  }
}
