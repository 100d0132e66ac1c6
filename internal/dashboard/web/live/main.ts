// SPDX-License-Identifier: Apache-2.0

import { board } from "./board";
import { forms } from "./forms";
import { follow } from "./stream";

document.documentElement.classList.add("scripted");
forms();
board();
follow();
