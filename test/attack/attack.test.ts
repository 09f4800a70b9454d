// Attacks with real processes and sockets, by class. A table of all outcomes is printed at the end.

import './bodies.ts'
import './control-plane.ts'
import './large-schemas.ts'
import './log.ts'
import './memory.ts'
import './readers.ts'
import './references.ts'
import './sizes.ts'
import './steps.ts'
import './strangers.ts'
