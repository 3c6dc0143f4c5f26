import { z } from 'zod'

// Must be imported before any other module. Without it, a schema checks whether it may generate code. The page's
// policy refuses that, and the browser reports it.
z.config({ jitless: true })
