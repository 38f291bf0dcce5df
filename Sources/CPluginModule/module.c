#include "CPluginModule.h"
