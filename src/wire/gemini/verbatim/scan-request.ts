import { requestFields } from '../request/request-fields.ts'
import { createTermsScan } from './scan-terms.ts'

/** Every field of the format, since each routes, steers, prices or is the prompt itself. */
export const scanRequest = createTermsScan({ fields: Object.keys(requestFields), required: ['contents'] })
