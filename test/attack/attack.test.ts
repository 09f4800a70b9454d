// Attacks with real processes and sockets, by class; what came of each is printed in one table at the end.

import './control-plane.ts'
import './log.ts'
import './memory.ts'
import './sizes.ts'
import './strangers.ts'
