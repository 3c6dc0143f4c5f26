// What serves requests at this moment: all that lasts, with the settings of the configuration that counts.
import type { Authenticator } from '../access/authenticate.ts'
import type { Config } from '../config/config.ts'
import { type CallerAccess, createClientAddressReader, listModels } from '../pipeline/caller-access.ts'
import type { Gateway } from '../pipeline/gateway.ts'

export type LastingGateway = Omit<Gateway, 'media' | 'retry' | 'heartbeat' | 'recovery' | 'queue'>

export interface LiveConfigurationOptions {
  readonly lasting: LastingGateway
  readonly queueFor: (policy: Config['queue']) => Gateway['queue']
  readonly authenticator: Authenticator
}

/** Its members are those of this moment; another configuration replaces them for the requests that come from then on. */
export class LiveConfiguration implements CallerAccess {
  gateway: Gateway
  findAddress: CallerAccess['findAddress']
  readonly authenticate: CallerAccess['authenticate']
  readonly listModels: CallerAccess['listModels']
  readonly #options: LiveConfigurationOptions

  constructor(config: Config, options: LiveConfigurationOptions) {
    const { authenticator, lasting } = options
    this.#options = options
    this.authenticate = authenticator.authenticate
    this.listModels = (caller) => listModels(caller, lasting.catalog.current())
    this.gateway = this.#open(config)
    this.findAddress = createClientAddressReader(config.trustedProxies)
  }

  take(config: Config): void {
    this.gateway = this.#open(config)
    this.findAddress = createClientAddressReader(config.trustedProxies)
  }

  #open({ media, retry, heartbeat, recovery, queue }: Config): Gateway {
    const { lasting, queueFor } = this.#options
    return { ...lasting, media, retry, heartbeat, recovery, queue: queueFor(queue) }
  }
}
