import type { Acknowledgement, Alert, Mute } from '../../alerts/alert.ts'
import type { AlertPolicy } from '../../alerts/alert-schema.ts'
import type { DeliveryOutcome, LastDelivery } from '../../alerts/alert-sender.ts'

/** The alerts of the installation, as operators see and change them. */
export interface AlertControl {
  readonly policy: AlertPolicy
  /** Resolves after every change is stored. */
  flush(): Promise<void>
  /** Undefined if no alert with this ID is open. */
  acknowledge(id: string, acknowledged: Acknowledgement): Alert | undefined | Promise<Alert | undefined>
  /** An undefined `mute` ends the mute. Undefined if no alert with this ID is open. */
  mute(id: string, mute: Mute | undefined): Alert | undefined | Promise<Alert | undefined>
  deliveryOf(receiverName: string): { readonly waiting: number; readonly last: LastDelivery | undefined }
  /** Sends a test alert. Undefined if there is no such receiver. */
  test(receiverName: string): Promise<DeliveryOutcome | undefined>
}
