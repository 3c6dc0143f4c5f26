import type { CaptureContent } from '../../capture/capture-content.ts'
import type { CapturePolicy } from '../../capture/capture-schema.ts'
import type { CaptureStore, CaptureSummary } from '../../capture/capture-store.ts'

/** The captures that are stored, as operators read and delete them. */
export interface CaptureArchive
  extends Pick<CaptureStore, 'page' | 'findCaptured' | 'totals' | 'delete' | 'deleteOfKey'> {
  readonly policy: CapturePolicy
  /** Whether captures are on for any key or group. */
  isOn(): boolean
  /** Undefined if there is no capture. Without content if the capture cannot be decrypted. */
  read(requestId: string): Promise<ReadCapture | undefined>
}

export interface ReadCapture {
  readonly summary: CaptureSummary
  readonly content: CaptureContent | undefined
}
